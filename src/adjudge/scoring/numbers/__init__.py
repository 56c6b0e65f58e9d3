"""Two quoted numbers -> whether they agree: quantities with their units, dates, codes, and how each is written."""
