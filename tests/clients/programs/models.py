"""A program that uses the models of a document, which are Pydantic classes."""

import sys

from document import Error, NewPlant, Plant

plant = NewPlant(id=9, name="Basil")
plant_model: Plant = Plant(name=plant.name, tag=plant.tag)
assert plant_model.name == "Basil"
assert plant_model.tag is None
assert Plant.model_validate_json('{"name": "Basil"}') == plant_model
listed: list[Plant] = [Plant.model_validate(item) for item in ({"name": "Fern", "tag": "herb"},)]
number: int = Error(error=40004, message="it is there already").error
sys.exit(number != 40004 or listed[0].tag != "herb")
