-- Gives each request a number that no other thread or run has: take_number().
-- Arguments: the run's first number, the count of threads, and a file for those that read one.

require "report"

local threads = 0
local number, step

function setup(thread)
  thread:set("thread_number", threads)
  threads = threads + 1
end

function init(arguments)
  step = tonumber(arguments[2])
  number = tonumber(arguments[1]) + thread_number - step
  if prepare then prepare(arguments[3]) end
end

function take_number()
  number = number + step
  return number
end
