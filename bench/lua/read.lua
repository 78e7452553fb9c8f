-- Requests another page of 100 each time, far from the previous page.

require "load"

local digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
local plants

function prepare(count) plants = tonumber(count) end

-- As the service's Link has it: the 8 bytes of the last id in base64, 66 bits.
local function encode_cursor(id)
  local rest, text = 4 * id, ""
  for _ = 1, 11 do
    local digit = rest % 64
    text = digits:sub(digit + 1, digit + 1) .. text
    rest = (rest - digit) / 64
  end
  return text
end

function request()
  local last = 1000 * (take_number() * 31337 % (plants - 100))
  return wrk.format(nil, "/plants?limit=100&after=" .. encode_cursor(last))
end
