"""What stored judgements say: each analysis computes records (`figures.py`) and puts them into words (`document.py`)."""
