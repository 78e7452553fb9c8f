-- Shared by all scripts. Arguments: the run's first number, and what a script needs to prepare.

local number

function init(arguments)
  number = tonumber(arguments[1])
  if prepare then prepare(unpack(arguments, 2)) end
end

-- A number that no other request has.
function take_number()
  number = number + 1
  return number
end

-- Created ids are above those of a filled store; deleted ids are the store's own (see stores.py).
function format_create(id)
  local headers = {["Content-Type"] = "application/json"}
  for name, value in pairs(wrk.headers) do headers[name] = value end
  local body = string.format(
    '{"id":%d,"name":"Monstera deliciosa","tag":"tropical"}', id or 1e15 + take_number())
  return wrk.format("POST", "/plants", headers, body)
end

-- Adds headers as a proxy does, at the end: a trace and an id per request, and the client's address.
-- wrk itself would write them in a random order, which differs from run to run.
function trace(request)
  local own = take_number()
  local lines = string.format(
    "\r\ntraceparent: 00-%032x-%016x-01\r\nX-Request-Id: %08x-0000-4000-8000-000000000000" ..
    "\r\nX-Forwarded-For: 203.0.%d.%d\r\n\r\n",  -- one of 1,000 addresses
    own, own, own, own % 4, math.floor(own / 4) % 250)
  return (request:gsub("\r\n\r\n", lines, 1))
end

function format_delete(id)
  return wrk.format("DELETE", string.format("/plants/%d", id or 1000 * take_number()))
end

-- Prints the counts as a line of JSON, the last line that wrk writes. Times are in seconds.
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests": %d, "rate": %.3f, "p50": %.6f, "p99": %.6f, "wrong": %d}\n',
    summary.requests, summary.requests / summary.duration * 1e6,
    latency:percentile(50) / 1e6, latency:percentile(99) / 1e6,
    errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
