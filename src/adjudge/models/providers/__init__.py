"""One module per provider, on one HTTP client; what a file or a Python function answers is a provider too."""
