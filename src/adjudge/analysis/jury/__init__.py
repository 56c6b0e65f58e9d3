"""What a jury adds to its members."""
