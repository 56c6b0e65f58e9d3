"""What each command does: parse no more, call, print."""
