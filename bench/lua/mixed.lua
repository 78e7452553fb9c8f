-- 90 lists, 9 creates and 1 delete in every 100 requests, in random order.

require "load"

local list

function prepare()
  math.randomseed(take_number())
  list = wrk.format()
end

function request()
  local chance = math.random(100)
  if chance <= 90 then return list end
  if chance <= 99 then return format_create() end
  return format_delete()
end
