"""Judgements -> figures: each kind of report computes records (`figures`) and puts them into words (`document`)."""
