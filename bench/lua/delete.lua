require "writes"

request = format_delete
