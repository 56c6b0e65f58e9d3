"""A run on many machines: its driver hands blocks of cases to workers that Ray places, restarts and retries."""
