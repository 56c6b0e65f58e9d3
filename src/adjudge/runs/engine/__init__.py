"""A run while it judges: what is to be made of every case, in which order, from what, and where it is kept."""
