"""How a score was computed: the scorer's own steps, and the rows that show them."""

from adjudge.analysis.scores.document import ScoreRow, ScoreRows, score_lines, score_rows
from adjudge.analysis.scores.figures import Explanation, case_fields, explain_score

__all__ = [
    "Explanation",
    "ScoreRow",
    "ScoreRows",
    "case_fields",
    "explain_score",
    "score_lines",
    "score_rows",
]
