"""Two runs over the same cases: which is better, by how much, and on which cases."""
