"""How far a judge agrees with people: labels, draws, figures, and the document that says them."""
