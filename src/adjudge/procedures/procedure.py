"""What every way of judging shares: how requests are made, and the ruling that comes out.

A procedure does no I/O, so the executor decides how requests travel, and a test can hold the other end.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from msgspec import Struct

from adjudge.procedures.ask import ASSUMED_LIMIT
from adjudge.prompts.fill import Bindings
from adjudge.prompts.fit import fit_prompt, surely_fits
from adjudge.prompts.render import render_prompt
from adjudge.records import (
    NOTHING,
    Case,
    Completion,
    Contract,
    Json,
    Judge,
    Outcome,
    PromptMessage,
    Request,
    Score,
    Scored,
    ScoreDistribution,
    Verdict,
)
from adjudge.scoring import Scorer, normalize, passes


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestSettings:
    """How requests are made, the same for every case of a run."""

    bindings: Bindings
    temperature: float | None = 0.0
    """None: the provider's default."""
    context_tokens: int | None = None
    """How many tokens the model takes; None: not known, and the provider is left to say."""
    parameters: Mapping[str, Json] = field(default_factory=lambda: NOTHING)
    max_output_tokens: int | None = None
    """Sent where the judge sets none."""


class Ruling(NamedTuple):
    outcome: Outcome
    reason: str | None = None
    normalized: float | None = None
    passed: bool | None = None
    probability: float | None = None
    distribution: ScoreDistribution | None = None
    notes: tuple[str, ...] = ()


Procedure = Generator[Request, Completion, Ruling]


def scored(judge: Judge, verdict: Verdict, score: Score) -> Ruling:
    """What a score means on the judge's scale."""
    return Ruling(
        outcome=Scored(verdict=verdict, score=score),
        normalized=normalize(judge.scale, judge.better, score.exact),
        passed=passes(judge, verdict.parts, score),
    )


class Context(Struct, frozen=True, kw_only=True):
    judge: Judge
    case: Case
    settings: RequestSettings
    repeat: int
    scorer: Scorer
    notes: list[str] = []
    """What was done to make prompts fit."""

    def request(
        self,
        messages: tuple[PromptMessage, ...],
        values: Mapping[str, Json],
        contract: Contract,
        *,
        fields: Mapping[str, Json],
        step: str,
        shared: bool = False,
        values_of_score: tuple[str, ...] = (),
    ) -> Request:
        judge, settings = self.judge, self.settings
        limit = judge.max_output_tokens or settings.max_output_tokens
        format_message = None if shared else judge.format_message
        prompt = render_prompt(messages, values, format_message=format_message)
        if not surely_fits(prompt, settings.context_tokens, limit or ASSUMED_LIMIT):
            fitted = fit_prompt(
                partial(render_prompt, messages, format_message=format_message),
                values,
                context_tokens=settings.context_tokens,
                reply_tokens=limit or ASSUMED_LIMIT,
                cut=judge.truncate,
            )
            prompt = fitted.prompt
            if fitted.note is not None:
                self.notes.append(fitted.note)
        return Request(
            prompt=prompt,
            schema=contract.schema if contract.sends_schema else None,
            case_id=self.case.case_id,
            judge=judge.name,
            step=step,
            repeat=0 if shared else self.repeat,
            shared=shared,
            temperature=judge.temperature if judge.temperature is not None else settings.temperature,
            max_output_tokens=limit,
            parameters=settings.parameters,
            values=values_of_score,
            fields=fields,
        )


def is_blank(value: Json) -> bool:
    return isinstance(value, str) and not value.strip()


def distinct(*notes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([note for some in notes for note in some]))
