"""A plant with every field."""

from msgspec.structs import asdict

from plantstore.core.model import PLANT_FIELDS, NewPlant

FULL = NewPlant(7, *PLANT_FIELDS[1:])  # the value of each text is its field's name
FULL_JSON = asdict(FULL)
