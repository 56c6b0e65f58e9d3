"""Labels: cases drawn and labelled blind, kept, read from files and written to them."""
