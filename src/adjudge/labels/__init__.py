"""What people say of cases: on which scale, in which files, of which parts, and who is asked next."""
