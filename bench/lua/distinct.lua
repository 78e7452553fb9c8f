-- Asks for a path with a limit from 501 to 1,000, and another parameter each time: nothing is cached.

require "load"

local path

function prepare(given)
  path = given
end

function request()
  local number = take_number()
  return wrk.format(nil, string.format("%s?limit=%d&n=%d", path, 501 + number % 500, number))
end
