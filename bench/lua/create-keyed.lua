require "load"

function request()
  wrk.headers["Idempotency-Key"] = string.format("%032x", take_number())
  return format_create()
end
