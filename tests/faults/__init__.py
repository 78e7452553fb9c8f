"""Fault injection: crashes, full disks, races and signals."""
