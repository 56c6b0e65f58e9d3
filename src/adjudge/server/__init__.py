"""HTTP: the local pages and the JSON API over the same store that the command line writes."""
