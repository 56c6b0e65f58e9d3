"""What a check in code is told: its name and parameters, their types, and what makes one unusable."""
