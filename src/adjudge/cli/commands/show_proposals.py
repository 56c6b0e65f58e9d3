"""`adjudge show PROMPT --model M`: a model is asked once for what the prompt does not say."""

import asyncio
from typing import NamedTuple

import click

from adjudge.cli.console import plain, print_message
from adjudge.cli.interrupts import reading_limit
from adjudge.judges.judge_file import TO_CONFIRM
from adjudge.judges.proposals import Proposals, gaps, read_proposals
from adjudge.options import RunOptions
from adjudge.records import Failed, Json, Judge
from adjudge.runs.fill_gaps import ask_about

NEXT = {
    "call_failed": "check the model's name, its server and its key (`adjudge models`), and try again",
    "not_asked": "raise --max-cost",
    "too_long": "name a model with a longer context",
}


class Asked(NamedTuple):
    """What came of asking; without a model's name none had to be asked."""

    model: str | None = None
    proposals: Proposals = Proposals(lines={}, refused={})
    failed: Failed | None = None

    def as_json(self) -> Json:
        failed = self.failed
        return {
            "model": self.model,
            "lines": [line + TO_CONFIRM for line in self.proposals.lines.values()],
            "refused": dict(self.proposals.refused),
            "error": None if failed is None else {"kind": failed.kind, "message": failed.message},
        }


def ask_model(judge: Judge, options: RunOptions) -> Asked:
    """Ask, and say on stderr whom, about what, and what cannot be used of the answer."""
    keys = gaps(judge)
    if not keys:
        print_message("nothing is missing, so the model was not asked")
        return Asked()
    asked = f"{judge.name}: {', '.join(keys)}"
    answer = asyncio.run(
        ask_about(judge, keys, options, announce=lambda model: print_message(f"model {model} · {asked}"))
    )
    if isinstance(answer.outcome, Failed):
        failed = answer.outcome
        advice = NEXT.get(failed.kind, "try again, or name another model")
        print_message(f"error: the model proposed nothing: {failed.kind}: {failed.message}")
        print_message(f"hint: {advice}; or fill in yourself what is missing")
        return Asked(answer.model, failed=failed)
    with reading_limit(f"the reply of {answer.model}"):
        proposals = read_proposals(judge, keys, answer.verdict, answer.notes)
    for key, why in proposals.refused.items():
        print_message(f"not proposed: `{key}`: {why}")
    return Asked(answer.model, proposals)


def print_proposals(asked: Asked) -> None:
    if asked.proposals.lines:
        click.echo(
            plain(
                f"\nproposed by {asked.model}; check it, and put it in front matter between two lines `---`:"
            )
        )
        for line in asked.proposals.lines.values():
            click.echo(plain(f"  {line}{TO_CONFIRM}"))
