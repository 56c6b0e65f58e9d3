"""Version numbers that are part of a judge's hash; a golden test fails when results change and a number does not."""

READER_VERSION = 3
"""How replies become verdicts (`adjudge.verdicts`)."""

SCORER_VERSIONS: dict[str, int] = {
    "correctness": 2,
    "coverage": 1,
    "coverage_rationale": 1,
    "rubric": 1,
    "groundedness": 1,
}
"""The named scorers (`adjudge.scoring`) that a judge file's `score:` may name."""

EMBEDDED_VERSION = 6
"""The code around the embedded judge's model (`adjudge.embedded`): part of its name, beside the hash of its weights."""
