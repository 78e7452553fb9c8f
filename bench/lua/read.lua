-- Asks for one path of a file after another, each run from another one on.

require "load"

local paths = {}

function prepare(file)
  for path in io.lines(file) do paths[#paths + 1] = wrk.format(nil, path) end
end

function request()
  return paths[take_number() % #paths + 1]
end
