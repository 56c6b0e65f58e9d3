"""How far a judge can be trusted: it is tried with probes and attacks, and its card is computed and put into words."""
