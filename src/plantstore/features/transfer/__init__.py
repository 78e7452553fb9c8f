"""Plants by commands: single ones, imports and exports; copies from one database to another."""

from plantstore.feature import Feature

FEATURE = Feature(
    name="transfer",
    commands={
        "copy": "copy_command.copy",
        "export": "export_command.export",
        "import": "import_command.import_plants",
        "plant": "plant_commands.plant",
    },
)
