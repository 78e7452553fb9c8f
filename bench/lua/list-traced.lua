-- The same list, each request with the headers that proxies add.

require "load"

function request()
  return trace(wrk.format())
end
