"""`adjudge show`: print what was understood of a judge file."""

from datetime import UTC, datetime

import click
import orjson

from adjudge.cli.console import plain, print_json
from adjudge.cli.interrupts import reading_limit
from adjudge.judges import describe_judge, load_judge
from adjudge.options import RunOptions
from adjudge.records import Json, Judge

SENT = {
    True: "with the verdict's schema, where the provider has structured output",
    False: "with no schema: the model answers in the form that the prompt asks for",
}


def command(
    *, judge: str, case: str | None, failed: bool, case_file: str | None, options: RunOptions, as_json: bool
) -> None:
    if failed:
        from adjudge.cli.commands.show_case import show_failed

        show_failed(str(options.store), judge, as_json=as_json)
        return
    if case is not None:
        from adjudge.cli.commands.show_case import show_case

        show_case(str(options.store), judge, case, as_json=as_json)
        return
    with reading_limit(f"judge {judge}"):
        loaded = load_judge(judge)
        described = describe_judge(loaded)
        if case_file is not None:
            described["messages"] = _messages(loaded, case_file, options)
    if as_json:
        print_json(described)
    else:
        _print(loaded, described)


def _messages(judge: Judge, case_file: str, options: RunOptions) -> list[Json]:
    """What would be sent for the first case. What renders a case is slow to load, and a judge alone needs none of it."""
    from adjudge.dataset import read_cases
    from adjudge.prompts.fill import Bindings
    from adjudge.runs.plan import check_values
    from adjudge.runs.preview import first_case, preview

    bindings = Bindings(
        maps=options.columns,
        sets=options.variables,
        current_date=datetime.now(UTC).date().isoformat(),
    )
    check_values(judge, bindings.sets)
    first = first_case(read_cases(case_file, maps=bindings.maps), case_file)
    return [
        {"role": message.role, "content": message.content}
        for step in preview(judge, first, bindings)
        for message in step.messages
    ]


def _print(judge: Judge, described: dict[str, Json]) -> None:
    def line(name: str, value: object) -> None:
        click.echo(plain(f"{name:<10} {value}"))

    line("judge", f"{judge.name}@{judge.hash}")
    if judge.description:
        line("", judge.description)
    line("dialect", judge.dialect)
    for item in judge.inputs:
        need = "required" if item.required else f"default {item.default}" if item.default else "optional"
        line("input", f"{item.name} ({need}), from {item.source}")
    for key in ("verdict", "score", "scale", "better", "passes"):
        value = described.get(key)
        line(
            key,
            "not known"
            if value is None
            else value
            if isinstance(value, str)
            else orjson.dumps(value).decode(),
        )
    if judge.contract is not None:
        line("sent", SENT[judge.contract.sends_schema])
    for name, value in judge.ignored.items():
        line("ignored", f"{name}: {value}")
    for sentence in judge.unread:
        line("not read", sentence)
    messages = described["messages"]
    assert isinstance(messages, list)
    for message in messages:
        assert isinstance(message, dict)
        click.echo(f"\n--- {message['role']} ---")
        click.echo(plain(str(message["content"])))
