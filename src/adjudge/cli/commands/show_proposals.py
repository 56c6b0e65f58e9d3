"""`adjudge show PROMPT --model M`: a model is asked for what the prompt does not say, with its reply to a case or without."""

import asyncio
from typing import NamedTuple

import click

from adjudge.cli.console import plain, print_message
from adjudge.cli.interrupts import reading_limit
from adjudge.judges.judge_file import TO_CONFIRM
from adjudge.judges.proposals import Proposals, gaps, read_proposals
from adjudge.options import RunOptions
from adjudge.records import Case, Failed, Json, Judge
from adjudge.runs.fill_gaps import ask_about, ask_case, why_unread

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
    reply: str | None = None
    """What the prompt was answered with, where a case was given."""

    def as_json(self) -> Json:
        failed = self.failed
        return {
            "model": self.model,
            **({} if self.reply is None else {"reply": self.reply}),
            "lines": [line + TO_CONFIRM for line in self.proposals.lines.values()],
            "refused": dict(self.proposals.refused),
            "error": None if failed is None else {"kind": failed.kind, "message": failed.message},
        }


def ask_model(judge: Judge, options: RunOptions, case: Case | None) -> Asked:
    """Ask, and say on stderr whom, about what, and what cannot be used of the answer.

    With a case the prompt is sent first as it is, and the model is asked about its reply too.
    """
    keys = gaps(judge)
    if not keys:
        print_message("nothing is missing, so the model was not asked")
        return Asked()
    reply = None
    if case is not None:
        replied = asyncio.run(
            ask_case(
                judge, case, options, announce=lambda model: print_message(f"model {model} · {case.case_id}")
            )
        )
        if isinstance(replied, Failed):
            return _not_proposed(replied, None, None)
        reply = replied
    asked = f"{judge.name}: {', '.join(keys)}"
    answer = asyncio.run(
        ask_about(
            judge,
            keys,
            options,
            announce=lambda model: print_message(f"model {model} · {asked}"),
            reply=reply,
        )
    )
    if isinstance(answer.outcome, Failed):
        return _not_proposed(answer.outcome, answer.model, reply)
    with reading_limit(f"the reply of {answer.model}"):
        proposals = read_proposals(
            judge,
            keys,
            answer.verdict,
            answer.notes,
            why_unread=lambda tried: None if reply is None else why_unread(tried, reply),
        )
    for key, why in proposals.refused.items():
        print_message(f"not proposed: `{key}`: {why}")
    return Asked(answer.model, proposals, reply=reply)


def _not_proposed(failed: Failed, model: str | None, reply: str | None) -> Asked:
    advice = NEXT.get(failed.kind, "try again, or name another model")
    print_message(f"error: the model proposed nothing: {failed.kind}: {failed.message}")
    print_message(f"hint: {advice}; or fill in yourself what is missing")
    return Asked(model, failed=failed, reply=reply)


def print_proposals(asked: Asked) -> None:
    if asked.reply is not None:
        click.echo(f"\n--- reply ---\n{plain(asked.reply)}")
    if asked.proposals.lines:
        click.echo(
            plain(
                f"\nproposed by {asked.model}; check it, and put it in front matter between two lines `---`:"
            )
        )
        for line in asked.proposals.lines.values():
            click.echo(plain(f"  {line}{TO_CONFIRM}"))
