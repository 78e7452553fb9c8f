require "load"

request = format_create
