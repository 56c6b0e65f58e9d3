"""The small model: its weights fetched, checked and merged; texts in, probabilities out, on all cores."""
