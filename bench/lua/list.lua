require "load"
