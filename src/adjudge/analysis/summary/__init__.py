"""One run: how good, how sure, which cases failed, what next."""
