"""What happens when things go wrong: crashes, a full disk, races, signals."""
