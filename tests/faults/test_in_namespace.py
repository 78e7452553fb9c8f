"""Runs the tests on a full disk in a namespace of their own, in which anybody may mount disks."""

import subprocess
import sys
from pathlib import Path

import pytest

NAMESPACE = ("unshare", "--user", "--map-root-user", "--mount")


def test_the_tests_on_a_full_disk_pass_in_a_namespace(tmp_path: Path) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux has such namespaces")
    if subprocess.run([*NAMESPACE, "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("this Linux lets us neither mount a disk nor make a namespace")
    tests = Path(__file__).with_name("test_full_disk.py")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests)]
    base = f"--basetemp={tmp_path / 'inside'}"
    done = subprocess.run([*NAMESPACE, *command, base], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
