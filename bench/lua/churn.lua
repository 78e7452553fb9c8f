-- Creates and deletes a thousand plants again and again: some of them exist, others do not. In
-- between it reads lists and events.

require "load"

local reads = {}

function prepare()
  for _, path in ipairs({"/plants", "/plants?limit=100", "/events?limit=1000", "/me"}) do
    reads[#reads + 1] = wrk.format("GET", path)
  end
end

function request()
  local number = take_number()
  local id = number % 1000
  if number % 10 == 0 then return reads[number / 10 % #reads + 1] end
  if number % 2000 < 1000 then return format_create(id) end
  return format_delete(id)
end
