"""`adjudge show`: print what was understood of a judge file."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
import orjson
from click.core import ParameterSource

from adjudge.cli.console import plain, print_json
from adjudge.cli.interrupts import reading_limit
from adjudge.cli.main import EXIT_NOT_MEASURED
from adjudge.cli.options import ASK_OPTIONS
from adjudge.errors import SettingsError
from adjudge.judges import describe_judge, load_judge, prompt_names, settled_by, validate_certain
from adjudge.judges.judge_file import TO_CHECK, TO_CONFIRM, TO_FILL_IN, judge_file, missing_lines
from adjudge.options import RunOptions, declared
from adjudge.records import Case, Json, Judge

if TYPE_CHECKING:
    from adjudge.cli.commands.show_proposals import Asked

SENT = {
    True: "with the verdict's schema, where the provider has structured output",
    False: "with no schema: the model answers in the form that the prompt asks for",
}

IN_CODE_SENT = {
    True: "nothing by itself: its parts ask the model, and the score is computed from theirs",
    False: "nothing: no model is asked",
}


def command(
    *,
    judge: str,
    case: str | None,
    failed: bool,
    case_file: str | None,
    strict: bool,
    write: str | None,
    options: RunOptions,
    as_json: bool,
) -> int:
    asks = _asks_model(stored=failed or case is not None)
    if failed:
        from adjudge.cli.commands.show_case import show_failed

        show_failed(str(options.store), judge, as_json=as_json)
        return 0
    if case is not None:
        from adjudge.cli.commands.show_case import show_case

        show_case(str(options.store), judge, case, as_json=as_json)
        return 0
    with reading_limit(f"judge {judge}"):
        names = prompt_names(judge)
        if names:
            _list_prompts(judge, names, as_json=as_json)
            return 0
        loaded = load_judge(judge)
        if strict:
            validate_certain(loaded)
        described = describe_judge(loaded)
        first = None if case_file is None else _first_case(loaded, case_file, options)
        if first is not None:
            described["messages"] = _messages(loaded, first, options)
    if write is not None:
        _validate_new_file(Path(write))
    asked = None
    if asks:
        from adjudge.cli.commands.show_proposals import ask_model

        asked = ask_model(loaded, options, first)
        described["proposed"] = asked.as_json()
    if write is not None:
        _write(loaded, Path(write), asked)
    elif as_json:
        print_json(described)
    else:
        _print(loaded, described, asked)
    return EXIT_NOT_MEASURED if asked is not None and asked.failed is not None else 0


def _asks_model(*, stored: bool) -> bool:
    """Whether --model was typed. One from the environment or adjudge.toml is for runs, and makes no call here."""
    context = click.get_current_context()
    typed = [
        name for name in ASK_OPTIONS if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    if typed and (stored or "model" not in typed):
        raise SettingsError(
            declared(RunOptions)[typed[0]].flag,
            "of a stored run nothing is asked" if stored else "nothing is asked without --model",
            "leave it out" if stored else "add --model, or leave it out",
        )
    return bool(typed)


def _validate_new_file(path: Path) -> None:
    """Before a model is paid: a file that is there is never written over, since a person may have edited it."""
    if path.exists():
        raise SettingsError("--write", f"{path} exists", "name another file, or remove it first")
    if not path.parent.is_dir():
        raise SettingsError(
            "--write", f"there is no folder {path.parent}", "make it, or name a file in another folder"
        )


def _write(judge: Judge, path: Path, asked: "Asked | None") -> None:
    """A new judge file."""
    text = judge_file(judge, proposed={} if asked is None else asked.proposals.lines)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise SettingsError(
            "--write", f"{path} cannot be written: {error.strerror or error}", "name another file"
        ) from None
    click.echo(plain(f"wrote {path}"))
    lines = text.partition("\n---\n")[0].splitlines()
    marks = {TO_CONFIRM: "to confirm", TO_FILL_IN: "to fill in", TO_CHECK: "to check"}
    counts = {what: sum(line.endswith(mark) for line in lines) for mark, what in marks.items()}
    if any(counts.values()):
        listed = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
        click.echo(f"{listed}: look for `#` in its front matter")


def _list_prompts(file: str, names: tuple[str, ...], *, as_json: bool) -> None:
    """The prompts of a file with several, by the names that `--judge` takes."""
    if as_json:
        listed: list[Json] = [{"name": name, "judge": f"{file}#{name}"} for name in names]
        print_json({"file": file, "prompts": listed})
        return
    click.echo(plain(f"{file} holds {len(names)} prompts:"))
    for name in names:
        click.echo(plain(f"  {file}#{name}"))


def _first_case(judge: Judge, case_file: str, options: RunOptions) -> Case:
    """What reads and renders a case is slow to load, and a judge alone needs none of it."""
    from adjudge.dataset import read_cases
    from adjudge.runs.plan import rows_by_turn
    from adjudge.runs.preview import first_case

    rows = rows_by_turn(read_cases(case_file, maps=options.columns), (judge,), options)
    return first_case(rows, case_file)


def _messages(judge: Judge, case: Case, options: RunOptions) -> list[Json]:
    """What would be sent for it."""
    from adjudge.prompts.fill import Bindings
    from adjudge.runs.plan import validate_variables
    from adjudge.runs.preview import preview

    bindings = Bindings(
        maps=options.columns,
        sets=options.variables,
        current_date=datetime.now(UTC).date().isoformat(),
    )
    validate_variables(judge, bindings.sets)
    return [
        {"role": message.role, "content": message.content}
        for step in preview(judge, case, bindings)
        for message in step.messages
    ]


def _print(judge: Judge, described: dict[str, Json], asked: "Asked | None") -> None:
    def line(name: str, value: object) -> None:
        click.echo(plain(f"{name:<10} {value}"))

    def marked(*keys: str) -> str:
        return "  (guess)" if any(key in judge.guesses for key in keys) else ""

    line("judge", f"{judge.name}@{judge.hash}")
    if judge.description:
        line("", judge.description)
    if judge.has_prompt:
        line("dialect", judge.dialect + marked("dialect"))
    attached = described["attached"]
    for item in judge.inputs:
        need = "required" if item.required else f"default {item.default}" if item.default else "optional"
        kind = (
            "attached"
            if isinstance(attached, list) and any(_is_named(each, item.name) for each in attached)
            else "input"
        )
        line(kind, f"{item.name} ({need}), from {item.source}" + marked("inputs", f"inputs.{item.name}"))
    for key in ("verdict", "score", "scale", "better", "passes"):
        value = described.get(key)
        shown = value if isinstance(value, str) else orjson.dumps(value).decode()
        line(key, "not known" if value is None else shown + marked(key))
    if judge.pair is not None:
        a, b = judge.pair.answers
        line("pair", f"compares {a} (A) with {b} (B), in both orders; the score is A's" + marked("tie"))
    for rating in judge.ratings:
        rule = f", passes: {rating.passes}" if rating.passes else ""
        line("rating", f"{rating.name}, {rating.scale.low:g} to {rating.scale.high:g}{rule}")
    if judge.rubric is not None:
        how = "one call" if judge.rubric.ask == "together" else "one call each"
        for number, each in enumerate(judge.rubric.criteria, start=1):
            line("criterion", f"{number} ({each.points:g}): {each.criterion}")
        line("rubric", f"from `{judge.rubric.column}`, {how}" if judge.rubric.column else how)
    if judge.abstain:
        line("abstain", ", ".join(judge.abstain))
    if not judge.has_prompt:
        line("sent", IN_CODE_SENT[judge.asks_model])
    elif judge.contract is not None:
        line("sent", SENT[judge.contract.sends_schema])
    for name, value in judge.ignored.items():
        line("ignored", f"{name}: {value}")
    for sentence in judge.unread:
        line("not read", sentence)
    for guess in judge.guesses:
        line("guessed", f"{guess}; to settle it: `{settled_by(judge, guess)}`")
    _print_messages(described["messages"])
    proposed = {} if asked is None else asked.proposals.lines
    if asked is not None:
        from adjudge.cli.commands.show_proposals import print_proposals

        print_proposals(asked)
    missing = [line for key, line in missing_lines(judge).items() if key not in proposed]
    if missing:
        click.echo("\nnot found in the prompt; to say it, put this in front matter between two lines `---`:")
        for text in missing:
            click.echo(plain(f"  {text}"))


def _print_messages(messages: Json) -> None:
    assert isinstance(messages, list)
    for message in messages:
        assert isinstance(message, dict)
        click.echo(f"\n--- {message['role']} ---")
        click.echo(plain(str(message["content"])))


def _is_named(described: Json, name: str) -> bool:
    return isinstance(described, dict) and described.get("name") == name
