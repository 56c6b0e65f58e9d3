"""Several models or systems: what their votes are worth, which of them decides, and in which order they stand."""
