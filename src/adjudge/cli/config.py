"""What adjudge.toml may do: each flag is declared with one of these rules, and a flag's rule holds for its every value.

The file lies in the folder one happens to work in, often a repository that somebody else wrote. It chooses among what
the person has set up; it never names a server, a credential, a place outside its folder or a way to run code.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any

import click


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    words: str
    """What the file can do with the flag, for the documentation."""
    refused: str | None = None
    """Why the flag may not stand in the file at all."""
    problem: Callable[[str, click.Context], str | None] = lambda _value, _ctx: None
    """What is wrong with one value: each of a list, and of `name=value` the name."""


def never(why: str) -> Rule:
    return Rule(words=f"not allowed: {why}", refused=why)


def _place_problem(value: str, _ctx: click.Context) -> str | None:
    if "://" in value:
        return "is an address, not a path"
    path, folder = Path(value), Path.cwd().resolve()
    try:
        # an absolute path is not resolved: on Windows that can ask another machine for it
        outside = (
            path.is_absolute() or PureWindowsPath(value).drive or not path.resolve().is_relative_to(folder)
        )
    except (OSError, RuntimeError, ValueError):  # a loop of links; a NUL
        outside = True
    if outside:
        return "lies outside this folder"
    if ".git" in (part.lower() for part in path.resolve().relative_to(folder).parts):
        return "lies in git's own folder"
    return None


def _model_problem(value: str, ctx: click.Context) -> str | None:
    provider, name = _provider(value)
    if provider == "litellm":
        return "is sent where LiteLLM reads it from the name, with whatever key it finds"
    return _place_problem(name, ctx) if provider == "scripted" else None


def _parameter_problem(name: str, ctx: click.Context) -> str | None:
    from adjudge.models.client import FILE_PARAMETERS

    provider, _ = _provider(ctx.params.get("model") or "")
    allowed = FILE_PARAMETERS.get(provider)
    if allowed is None or name in allowed:  # the other models are on this machine
        return None
    return f"is not among the parameters that a file may set for {provider}: {', '.join(sorted(allowed))}"


def _provider(model: str) -> tuple[str, str]:
    """The provider and the name; ("", …) for a model with none, such as `embedded`, and for what names no model."""
    from adjudge.errors import ModelNameError
    from adjudge.models.client import parse_model_name

    try:
        parsed = parse_model_name(model)
    except ModelNameError:
        return "", model  # the run says what is wrong with it
    return parsed.provider, parsed.model


UNDECLARED = never("nobody has said what a file could do with it")
ANY = Rule(words="any value")
INSIDE = Rule(words="a path inside the folder, links followed", problem=_place_problem)
STORE = Rule(words="a path inside the folder, links followed; no database server", problem=_place_problem)
JUDGE = Rule(words="a built-in judge, or a file inside the folder", problem=_place_problem)
MODEL = Rule(
    words="a model of `openai:`, `azure:`, `anthropic:` or `google:`, which is asked at the address and with the key "
    "of your environment; `embedded`; `replay`; `scripted:` with a file inside the folder; not `litellm:`",
    problem=_model_problem,
)
PARAMETERS = Rule(words="the parameters listed below for the model's provider", problem=_parameter_problem)


def check_value(rule: Rule, key: str, value: Any, ctx: click.Context) -> None:
    """`value` as the command will get it."""
    from adjudge.errors import SettingsError
    from adjudge.settings import FILE_NAME

    for item in value if isinstance(value, tuple) else (value,):
        text = str(item[0] if isinstance(item, tuple) else item)
        problem = rule.problem(text, ctx)
        if problem is not None:
            raise SettingsError(
                f"{FILE_NAME}: {key}",
                f"`{text}` {problem}",
                f"take it out of the file; you can pass --{key.replace('_', '-')} yourself, or set "
                f"ADJUDGE_{key.upper()} in your own environment",
            )
