require "load"

function request()
  return trace(format_create())
end
