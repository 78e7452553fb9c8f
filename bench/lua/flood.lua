-- Requests that no cache has: a new limit and parameter each time, or a body with new numbers.

require "load"

local method, path, line, count

function prepare(...)
  method, path, line, count = ...
  count = tonumber(count)
end

function request()
  local number = take_number()
  local target = path:gsub("LIMIT", 501 + number % 500):gsub("NUMBER", string.format("%d", number))
  local lines = {}
  for plant = 1, count do lines[plant] = line:gsub("NUMBER", string.format("%d", number * count + plant)) end
  return wrk.format(method, target, nil, count > 0 and table.concat(lines) or nil)
end
