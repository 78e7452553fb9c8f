require "load"

request = format_delete
