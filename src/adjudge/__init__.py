"""LLM-as-a-judge: any judge prompt in, typed verdicts and code-computed scores out."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjudge.analysis.summary.report import Report
    from adjudge.api import Run, aevaluate, ajudge, evaluate, judge
    from adjudge.batch_judge import BatchJudge
    from adjudge.errors import AdjudgeError, InputError, ModelCallError, StoreError
    from adjudge.judges import built_in_judges, load_judge, parse_judge
    from adjudge.judges.lint import lint_judge
    from adjudge.records import Case, Completion, Judge, Judgement, ModelClient, Request

__version__ = "0.1.0"

__all__ = [
    "AdjudgeError",
    "BatchJudge",
    "Case",
    "Completion",
    "InputError",
    "Judge",
    "Judgement",
    "ModelCallError",
    "ModelClient",
    "Report",
    "Request",
    "Run",
    "StoreError",
    "aevaluate",
    "ajudge",
    "built_in_judges",
    "evaluate",
    "judge",
    "lint_judge",
    "load_judge",
    "parse_judge",
]

_HOMES = {
    "adjudge.api": ("Run", "aevaluate", "ajudge", "evaluate", "judge"),
    "adjudge.batch_judge": ("BatchJudge",),
    "adjudge.errors": ("AdjudgeError", "InputError", "ModelCallError", "StoreError"),
    "adjudge.judges": ("built_in_judges", "load_judge", "parse_judge"),
    "adjudge.judges.lint": ("lint_judge",),
    "adjudge.records": ("Case", "Completion", "Judge", "Judgement", "ModelClient", "Request"),
    "adjudge.analysis.summary.report": ("Report",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that `import adjudge` costs next to nothing."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'adjudge' has no attribute {name!r}")
    import importlib  # noqa: PLC0415

    value = getattr(importlib.import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
