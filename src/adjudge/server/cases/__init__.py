"""A run's cases: the table that can be searched and filtered, and the page of one."""
