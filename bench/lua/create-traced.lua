require "load"

function request()
  return format_create(nil, trace())
end
