"""Several systems, ranked by a judge that compares two answers at a time."""
