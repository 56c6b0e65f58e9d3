"""What adjudge.toml may do: each option is declared with a rule, which is held against its every value here.

The file lies in the folder one happens to work in, often a repository that somebody else wrote. It chooses among what
the person has set up; it never names a server, a credential, a place outside its folder or a way to run code.
"""

from collections.abc import Callable, Mapping
from pathlib import Path, PureWindowsPath
from typing import Any

import click

from adjudge.options.declaration import FileRule


def validate_value(rule: FileRule, key: str, value: Any, ctx: click.Context) -> None:
    """`value` as the command will get it: of several each is checked, of `name=value` the name."""
    for item in value if isinstance(value, tuple | Mapping) else (value,):
        problem = PROBLEMS[rule.check](str(item), ctx)
        if problem is not None:
            from adjudge.errors import SettingsError
            from adjudge.options.config_file import FILE_NAME

            raise SettingsError(
                f"{FILE_NAME}: {key}",
                f"`{item}` {problem}",
                f"take it out of the file; you can pass --{key.replace('_', '-')} yourself, or set "
                f"ADJUDGE_{key.upper()} in your own environment",
            )


def _no_problem(_value: str, _ctx: click.Context) -> str | None:
    return None


MAX_SIGNS = 64


def _place_problem(value: str, _ctx: click.Context) -> str | None:
    """Why a path may not be used; of a prompt in a file (`FILE#name`) the file counts as well."""
    if "://" in value:
        return "is an address, not a path"
    ends = [position for position, mark in enumerate(value) if mark == "#"]
    if len(ends) > MAX_SIGNS:
        return "has too many `#`"
    return next(filter(None, map(_path_problem, [value, *(value[:end] for end in ends)])), None)


def _path_problem(value: str) -> str | None:
    path, folder = Path(value), Path.cwd().resolve()
    try:
        # an absolute path is not resolved: on Windows that can ask another machine for it
        outside = (
            path.is_absolute() or PureWindowsPath(value).drive or not path.resolve().is_relative_to(folder)
        )
    except (OSError, RuntimeError, ValueError):  # a loop of links; a NUL
        outside = True
    if outside:
        return "is outside this folder"
    if ".git" in (part.lower() for part in path.resolve().relative_to(folder).parts):
        return "is inside the .git folder"
    return None


def _model_problem(value: str, ctx: click.Context) -> str | None:
    provider, name = _provider(value)
    if provider == "litellm":
        return "is sent wherever LiteLLM routes that name, with whatever key it finds"
    return _place_problem(name, ctx) if provider == "scripted" else None


def _parameter_problem(name: str, ctx: click.Context) -> str | None:
    from adjudge.models.names import FILE_PARAMETERS

    for model in (*(ctx.params.get("model") or ()), *(ctx.params.get("cascade") or ())):
        provider, _ = _provider(model)
        allowed = FILE_PARAMETERS.get(provider)  # the other models are on this machine
        if allowed is not None and name not in allowed:
            return f"is not a parameter that a file may set for {provider}: {', '.join(sorted(allowed))}"
    return None


PROBLEMS: Mapping[str, Callable[[str, click.Context], str | None]] = {
    "nothing": _no_problem,
    "place": _place_problem,
    "model": _model_problem,
    "parameter": _parameter_problem,
}


def _provider(model: str) -> tuple[str, str]:
    """The provider and the name; ("", …) for a model with none, such as `embedded`, and for what names no model."""
    from adjudge.errors import ModelNameError
    from adjudge.models.names import parse_model_name

    try:
        parsed = parse_model_name(model)
    except ModelNameError:
        return "", model  # the run says what is wrong with it
    return parsed.provider, parsed.model
