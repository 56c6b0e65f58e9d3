"""How the embedded judge's adapter is made: labelled rows in, one file out."""
