"""What a cascade decided, where, and how far that is to be trusted."""
