"""`adjudge judges`: list the built-in judges."""

import click

from adjudge.cli.console import print_json
from adjudge.judges import built_in_judges, describe_judge


def command(*, as_json: bool) -> None:
    judges = built_in_judges()
    if as_json:
        print_json([describe_judge(judge) for judge in judges])
        return
    for judge in judges:
        scale = f"{judge.scale.low:g}–{judge.scale.high:g}" if judge.scale else "no scale"
        inputs = ", ".join(item.name if item.required else f"[{item.name}]" for item in judge.inputs)
        click.echo(f"{judge.name}@{judge.hash}  {scale}")
        click.echo(f"    {judge.description}")
        model = "" if judge.for_embedded else "; needs a model: the embedded judge was not trained for it"
        click.echo(f"    inputs: {inputs}; passes: {judge.passes or 'no rule'}{model}")
