"""Which values an option of a run may have, whatever the others are."""

from collections.abc import Iterable

from adjudge.errors import SettingsError
from adjudge.options.run_options import JURY_RULES, RunOptions
from adjudge.options.spelling import option

MAX_JOBS = 2_000
RETRYABLE = frozenset({"abstained", "unreadable", "truncated", "refused"})
RESERVED_PARAMETERS = frozenset(
    {
        "model",
        "messages",
        "contents",
        "system",
        "system_instruction",
        "tools",
        "tool_choice",
        "response_format",
        "stream",
    }
)
"""What the run itself says: a row must not name one model and hold another's words."""


def validate_values(options: RunOptions) -> None:
    if not 1 <= options.jobs <= MAX_JOBS:
        raise SettingsError(option("--jobs"), f"{options.jobs} is out of range", f"choose 1 to {MAX_JOBS}")
    repeat: object = options.repeat
    if isinstance(repeat, bool) or not isinstance(repeat, int) or repeat < 1:
        raise SettingsError(
            option("--repeat"), f"`{repeat}` is not a number of repeats", "give a whole number from 1"
        )
    for flag, value in (("--first", options.first), ("--sample", options.sample)):
        if value is not None and value < 1:
            raise SettingsError(option(flag), f"{value} is out of range", "choose 1 or more")
    if options.jury not in {None, *JURY_RULES}:
        raise SettingsError(
            option("--jury"), f"`{options.jury}` is not a rule", f"choose one of {', '.join(JURY_RULES)}"
        )
    if len(options.cascade) == 1:
        raise SettingsError(
            option("--cascade"), "one model is no cascade", "name several, the cheapest first"
        )
    unknown = options.retry - RETRYABLE
    if unknown:
        raise SettingsError(
            option("--retry"),
            f"{_listed(unknown)} cannot be re-asked",
            f"name some of {_listed(RETRYABLE)}",
        )
    reserved = RESERVED_PARAMETERS & options.parameters.keys()
    if reserved:
        raise SettingsError(
            option("--param"),
            f"`{min(reserved)}` is set by the run itself",
            f"name the model with {option('--model')}, the prompt with {option('--judge')}",
        )


def _listed(words: Iterable[str]) -> str:
    return ", ".join(sorted(words))
