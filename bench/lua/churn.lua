-- Creates and deletes a thousand plants again and again: some of them are there, others not. Between
-- them it reads lists and events. The second argument is a connection's pause between two requests, in ms.

require "load"

local reads = {}

function prepare(pause)
  for _, path in ipairs({"/plants", "/plants?limit=100", "/events?limit=1000", "/me"}) do
    reads[#reads + 1] = wrk.format("GET", path)
  end
  if tonumber(pause) > 0 then
    function delay() return tonumber(pause) end
  end
end

function request()
  local number = take_number()
  local id = number % 1000
  if number % 10 == 0 then return reads[number / 10 % #reads + 1] end
  if number % 2000 < 1000 then return format_create(id) end
  return format_delete(id)
end
