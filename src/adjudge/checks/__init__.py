"""Case -> Score, without a model: one module per check, with its parameters, its function and its version.

What is checked is hostile: every check reads a bounded text in time that grows no faster than the text, near enough.
"""
