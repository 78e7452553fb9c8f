"""Commands that only read leave a backup and its folder unchanged."""

from tests.cli.program import CREATE, Program
from tests.cli.test_check import unchanged

READING = (
    *("audit list", "event list --store nursery", "link list", "member list --store nursery"),
    *("store list", "store show nursery", "token list --user ada", "user list"),
    *("plant list --store nursery", "export --store nursery", "webhook list --store nursery"),
)


def test_commands_that_only_read_leave_a_backup_unchanged(program: Program) -> None:
    program.out(*CREATE)
    program.out("plant", "add", "--store", "nursery", "7", "Rose")
    folder = program.folder / "backups"
    folder.mkdir()
    backup = str(folder / "b.db")
    program.out("backup", backup)
    with unchanged(folder):
        for command in READING:
            program.out("--database", f"sqlite:///{backup}", *command.split())
    program.out("backup", backup)  # the backup does not count as a database in use
