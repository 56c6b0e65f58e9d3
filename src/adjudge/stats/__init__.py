"""Judgements -> numbers: pure functions in plain Python, each figure with its interval."""
