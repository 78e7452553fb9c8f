-- Requests that create and delete. Created ids lie beyond all that a filled store has; deleted
-- ones are those of a filled store (see stores.py).

require "numbers"

local json = {["Content-Type"] = "application/json"}

function format_create()
  for name, value in pairs(wrk.headers) do json[name] = value end
  local body = string.format(
    '{"id":%d,"name":"Monstera deliciosa","tag":"tropical"}', 1e15 + take_number())
  return wrk.format("POST", "/plants", json, body)
end

function format_delete()
  return wrk.format("DELETE", string.format("/plants/%d", 1000 * take_number()))
end
