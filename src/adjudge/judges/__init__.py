"""Files -> Judge: front matter, what a bare prompt says about itself, and what makes a judge unreliable."""

from adjudge.judges.describe import describe_judge
from adjudge.judges.judge_file import settled_by, validate_certain
from adjudge.judges.load import (
    built_in_judges,
    load_judge,
    override,
    parse_judge,
    parse_kept_judge,
    prompt_names,
)

__all__ = [
    "built_in_judges",
    "describe_judge",
    "load_judge",
    "override",
    "parse_judge",
    "parse_kept_judge",
    "prompt_names",
    "settled_by",
    "validate_certain",
]
