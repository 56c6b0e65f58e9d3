"""A judge on trial: probes that ought not to move it, attacks that ought not to fool it, and the card they make."""
