"""Plants from files and to files, and copies from one database to another."""

from plantstore.feature import Feature

FEATURE = Feature(
    name="transfer",
    commands={
        "copy": "copy_command.copy",
        "export": "commands.export",
        "import": "commands.import_plants",
    },
)
