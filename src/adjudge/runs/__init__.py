"""Knows the order: what to judge, how one case is judged, and how all of them are."""
