"""The tests on a full disk mount one: where we may not, they run where we may."""

from tests.faults.small_disk import can_mount

collect_ignore = ["test_in_namespace.py" if can_mount() else "test_full_disk.py"]
