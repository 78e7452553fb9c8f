"""A program on models of a document, which are classes of pydantic."""

import sys

from document import Error, NewPlant, Plant

plant = NewPlant(id=9, name="Basil")
made: Plant = Plant(name=plant.name, tag=plant.tag)
assert made.name == "Basil"
assert made.tag is None
assert Plant.model_validate_json('{"name": "Basil"}') == made
listed: list[Plant] = [Plant.model_validate(each) for each in ({"name": "Fern", "tag": "herb"},)]
number: int = Error(error=40004, message="it is there already").error
sys.exit(number != 40004 or listed[0].tag != "herb")
