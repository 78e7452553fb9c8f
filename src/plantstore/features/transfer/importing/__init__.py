"""What ``plantstore import`` does, apart from its options: imported only where it runs."""
