require "load"

-- Creates and deletes each plant, so that the store does not grow.
local life = '{"id":%d,"name":"Monstera deliciosa","tag":"tropical"}\n'
  .. '{"op":"update","id":%d,"name":"Monstera adansonii"}\n'
  .. '{"op":"upsert","id":%d,"name":"Monstera adansonii","tag":"tropical"}\n'
  .. '{"op":"delete","id":%d}\n'

function request()
  local headers = {["Content-Type"] = "application/x-ndjson"}
  for name, value in pairs(wrk.headers) do headers[name] = value end
  local lines = {}
  for plant = 1, 250 do
    local id = 1e15 + take_number()
    lines[plant] = string.format(life, id, id, id, id)
  end
  return wrk.format("POST", "/changes", headers, table.concat(lines))
end
