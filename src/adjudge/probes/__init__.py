"""Cases -> attacked cases: changes that ought not to move a judge, and attacks that ought not to fool it."""
