"""Text -> what it says, by rules: sentences, statements, terms, numbers, evidence, and what a reader would see of it."""
