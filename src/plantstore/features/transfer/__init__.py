"""Commands for plants: single plants, imports and exports, copies between databases."""

from plantstore.feature import Feature

FEATURE = Feature(
    commands={
        "copy": "copy_command.copy",
        "export": "export_command.export",
        "import": "import_command.import_plants",
        "plant": "plant_commands.plant",
    },
)
