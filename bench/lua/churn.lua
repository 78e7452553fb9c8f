-- Creates and deletes a thousand plants again and again: some of them are there, others not.

require "load"

function request()
  local number = take_number()
  local id = number % 1000
  if number % 2000 < 1000 then return format_create(id) end
  return format_delete(id)
end
