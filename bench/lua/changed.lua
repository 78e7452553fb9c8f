-- The same list after each create: half of the requests are lists, and each list has changed.

require "load"

function request()
  if take_number() % 2 == 0 then return format_create() end
  return wrk.format()
end
