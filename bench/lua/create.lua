require "writes"

request = format_create
