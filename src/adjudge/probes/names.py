"""What the probes are called, on cards and in commands."""

from typing import Literal, get_args

ProbeName = Literal[
    "labels",
    "retest",
    "order",
    "reference-flip",
    "answer-shuffle",
    "length",
    "formatting",
    "confident-tone",
    "self-praise",
    "missing-field",
    "empty-field",
    "contentless-openers",
    "injection",
    "worst-attack",
    "right-answers-attacked",
    "halo",
]
PROBES: tuple[str, ...] = get_args(ProbeName)
"""In the order in which they are tried."""
LABELS, RETEST, ORDER, FLIP, SHUFFLE, LENGTH, FORMATTING, TONE, PRAISE = PROBES[:9]
MISSING, EMPTY, OPENERS, INJECTION, WORST, RIGHT_ATTACKED, HALO = PROBES[9:]
CHANGES = (LENGTH, FORMATTING, TONE, PRAISE)
"""Of how an answer says what it says."""
CLEAN = "clean"
"""No probe: the answer as it is."""
