"""What to judge: the judges as they will be used, how they ask, and the name the run is known by."""

import os
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from adjudge.dataset.turns import TurnRules, turn_cases
from adjudge.errors import InputError, JudgeFileError, SettingsError
from adjudge.judges import check_certain, load_judge, override
from adjudge.models import context_tokens
from adjudge.models.clients.confidential import mask_secrets
from adjudge.options import JURY_RULES, RunOptions, option, split_values
from adjudge.procedures.jury import votes_by_label
from adjudge.procedures.procedure import RequestSettings
from adjudge.prompts.fill import Bindings
from adjudge.prompts.lookup import inputs_in_values, unknown_maps
from adjudge.records import BadRow, Case, CombineScore, Json, Judge, ModelClient, ModelFunction
from adjudge.scoring import example_pass_rule, pass_rule_problem, pass_rule_verdict

MAX_JOBS = 2_000
TODAY = "today, UTC"

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class CurrentDate:
    """The day that words like "today" refer to, and who said so."""

    day: str
    source: str

    def __str__(self) -> str:
        return f"{self.day} ({self.source})"


class Confidential(NamedTuple):
    parameters: Mapping[str, Json]
    secrets: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Pairing:
    """How the cases of a file and of the one that it runs against match, by id."""

    paired: int
    rows: int
    """Those, and the rows that could not be read as cases."""
    a_only: int
    b_only: int
    """Of the other file."""
    a_ids: tuple[str, ...]
    """The first of them."""
    b_ids: tuple[str, ...]
    b_unread: int
    """Rows of the other file that are no cases."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedRanking:
    systems: tuple[str, ...]
    comparisons: int
    """All that there are, also where calls are limited."""
    seed: int
    """Of the order in which each pair's cases are asked."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """Everything about a run but its cases."""

    judges: tuple[Judge, ...]
    """With the parts of combinations, each before what is computed from it."""
    options: RunOptions
    settings: RequestSettings
    current_date: CurrentDate
    pairing: Pairing | None = None
    """With `--against`."""
    ranking: PlannedRanking | None = None
    """Of systems that are compared pair by pair."""
    confidential: Confidential | None = field(default=None, repr=False)
    """The request parameters as they are sent, where some are secret; `settings` has them masked."""
    named: tuple[Judge, ...] = ()
    """The judges that were asked for, without those that are only parts of them."""

    @property
    def asks_model(self) -> bool:
        return any(judge.has_prompt for judge in self.judges)

    @property
    def is_sent_elsewhere(self) -> bool:
        """Whether only other machines ask the models, with the keys that they have."""
        return self.options.engine == "ray" and self.options.ray_address != "local"

    def on(self, current: CurrentDate) -> "Plan":
        """The same plan on another day."""
        bindings = replace(self.settings.bindings, current_date=current.day)
        return replace(self, current_date=current, settings=replace(self.settings, bindings=bindings))

    def select(self, rows: Iterable[Case | BadRow]) -> Iterable[Case | BadRow]:
        """Those that are to be judged; a conversation counts as one case, however many of its turns are judged."""
        options = self.options
        chosen = select_rows(rows, first=options.first, sample=options.sample, seed=options.seed or 0)
        return self.turns(chosen)

    def turns(self, rows: Iterable[Case | BadRow]) -> Iterator[Case | BadRow]:
        return rows_by_turn(rows, self.judges, self.options)


def rows_by_turn(
    rows: Iterable[Case | BadRow], judges: Iterable[Judge], options: RunOptions
) -> Iterator[Case | BadRow]:
    """The rows with their conversations as the judges read them, each turn apart where that is wanted."""

    def smallest() -> int | None:
        """What the model takes; of several models the least, so that all read the same."""
        names = [model for model in named_models(options) if isinstance(model, str)]
        sizes = [context_tokens(name, options.base_url) for name in names]
        return min((size for size in sizes if size is not None), default=None)

    rules = TurnRules(
        turns=options.turns,
        needs={item.source for judge in judges for item in judge.inputs},
        context_tokens=smallest,
        strict=options.strict,
    )
    return turn_cases(rows, rules)


def named_models(
    options: RunOptions, environ: Mapping[str, str] = os.environ
) -> tuple[str | ModelClient | ModelFunction, ...]:
    """Those that were asked for, by the caller or in the environment."""
    return options.model or tuple(split_values(environ.get("ADJUDGE_MODEL", "")))


def make_plan(
    judges: Sequence[str | Path | Judge],
    options: RunOptions | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
) -> Plan:
    options = options or RunOptions()
    columns, variables = options.columns, options.variables
    if not judges:
        raise SettingsError(
            "judge",
            "no judge was given",
            f"name one, such as `{option('--judge', 'correctness')}`; `adjudge judges` lists them",
        )
    _check_numbers(options)
    _check_parameters(options.parameters)
    masked = mask_secrets(options.parameters)
    named = tuple(
        override(
            judge if isinstance(judge, Judge) else load_judge(judge),
            passes=options.passes,
            temperature=options.temperature,
            max_output_tokens=options.max_output_tokens,
        )
        for judge in judges
    )
    _check_distinct(named)
    loaded = with_parts(named)
    for judge in loaded:
        check_runnable(judge)
        check_pass_rule_fits(judge)
        if options.strict:
            check_certain(judge)
    _check_distinct(loaded)
    if options.jury or options.cascade:
        for judge in loaded:
            check_scored(judge, "votes are counted or averaged by their scores")
    _check_jury(options, loaded)
    if options.cascade:
        _check_cascade(options, loaded)
        options = replace(options, model=options.cascade)
    if options.shard is not None:
        _check_shard(options)
    if options.engine == "ray":
        _check_cluster(options)
    if options.batch or options.detach:
        _check_batch(options, has_secrets=bool(masked.secrets))
    unknown = unknown_maps([item for judge in loaded for item in judge.inputs], columns, variables)
    if unknown:
        raise SettingsError(
            f"{option('--columns')}/{option('--variables')}",
            "; ".join(unknown),
            "`adjudge show JUDGE` lists a judge's inputs",
        )
    for judge in loaded:
        check_values(judge, variables)
    current = current_date(variables, environ)
    temperature = options.temperature
    if temperature is None and options.repeat == 1:
        temperature = 0.0  # the most repeatable; with repeats the provider's default lets the noise show
    return Plan(
        judges=loaded,
        options=options,
        settings=RequestSettings(
            bindings=Bindings(maps=columns, sets=variables, current_date=current.day),
            temperature=temperature,
            parameters=masked.parameters,
        ),
        current_date=current,
        confidential=Confidential(options.parameters, masked.secrets) if masked.secrets else None,
        named=named,
    )


def with_parts(judges: Sequence[Judge]) -> tuple[Judge, ...]:
    """The judges with those that they are combinations of, each once and before what is computed from it."""
    found: dict[tuple[str, str], Judge] = {}
    for judge in judges:
        if isinstance(judge.score, CombineScore):
            parts = with_parts(tuple(judge.score.parts.values()))
            found |= {(part.name, part.hash): part for part in parts if (part.name, part.hash) not in found}
        found.setdefault((judge.name, judge.hash), judge)
    return tuple(found.values())


def check_values(judge: Judge, sets: Mapping[str, str]) -> None:
    """A value with a placeholder in it was meant to be filled, and would be sent with its braces."""
    held = inputs_in_values(judge.inputs, sets, judge.dialect)
    if held:
        raise SettingsError(
            option("--variables"),
            "; ".join(held),
            "write that text into the judge's prompt, where its inputs are filled in",
        )


def check_runnable(judge: Judge) -> None:
    """Say what a judge lacks before the first call, not after it."""
    if judge.score is None and judge.items is not None:
        raise JudgeFileError(
            judge.name,
            "; ".join(("how its score is computed from the items could not be read", *judge.unread)),
            "add `score:` to its front matter; `adjudge show` prints what was understood",
        )
    if judge.score is None and judge.passes is not None:
        raise JudgeFileError(
            judge.name,
            f"the pass rule `{judge.passes}` needs a score, and it has none: {'; '.join(judge.unread)}",
            "add `score:` to its front matter, such as the points of each label",
        )
    if not judge.inputs:
        raise JudgeFileError(
            judge.name,
            "the prompt has no placeholder, so it would be the same for every case",
            "put the response into it, as `{{ fenced.response }}`",
        )
    wrong = pass_rule_problem(judge)
    if wrong is not None:
        raise JudgeFileError(
            judge.name,
            f"the pass rule `{judge.passes}` cannot be computed from its verdict: {wrong}",
            "compare `score`, or a field of the verdict with a value of its own type",
        )


def check_pass_rule_fits(judge: Judge) -> None:
    """A rule that every score, or none, can meet is a mistake about the scale."""
    always = pass_rule_verdict(judge)
    if always is not None and judge.scale is not None:
        meets = "every score meets" if always else "no score can meet"
        raise JudgeFileError(
            judge.name,
            f"{meets} the pass rule `{judge.passes}`: its scale is {judge.scale.low:g} to {judge.scale.high:g}",
            f"choose a threshold inside it, such as {option('--pass', example_pass_rule(judge))}",
        )


def check_scored(judge: Judge, why: str) -> None:
    """Refuse a judge without a score where one is needed."""
    if judge.score is None:
        raise JudgeFileError(
            judge.name,
            f"it has no score, and {why}: {'; '.join(judge.unread)}",
            "add `score:` to its front matter, such as the points of each label",
        )


def current_date(sets: Mapping[str, str], environ: Mapping[str, str]) -> CurrentDate:
    """A case's own column still goes first: see `look_up`."""
    today = datetime.now(UTC).date().isoformat()
    if sets.get("current_date") == "today":
        return CurrentDate(day=today, source=option("--variables", "current_date=today"))
    for source, value in (
        (option("--variables", "current_date"), sets.get("current_date")),
        ("ADJUDGE_CURRENT_DATE", environ.get("ADJUDGE_CURRENT_DATE")),
    ):
        if value and value != "today":
            try:
                return CurrentDate(day=date.fromisoformat(value).isoformat(), source=source)
            except ValueError:
                raise SettingsError(
                    source, f"`{value}` is not a date", "write it as YYYY-MM-DD, or `today`"
                ) from None
    return CurrentDate(day=today, source=TODAY)


def reported_date(judges: Sequence[Judge], current: CurrentDate) -> str | None:
    """For reports: the date, where a prompt was told one."""
    uses_date = any(item.source == "current_date" for judge in judges for item in judge.inputs)
    return str(current) if uses_date else None


def _check_numbers(options: RunOptions) -> None:
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
    if options.first is not None and options.sample is not None:
        raise SettingsError(
            f"{option('--first')} and {option('--sample')}",
            "both were given",
            "take the first N, or a sample of N",
        )


def _check_cascade(options: RunOptions, judges: Sequence[Judge]) -> None:
    flag = option("--cascade")
    if options.model or options.jury is not None:
        raise SettingsError(
            flag, "names the models itself", f"leave out {option('--model')} and {option('--jury')}"
        )
    if options.labels is None:
        raise SettingsError(
            flag,
            "needs people's labels to learn from when each model may decide",
            f"name a file with {option('--labels')}",
        )
    asked = [judge for judge in judges if judge.asks_model]
    if len(asked) != 1 or not asked[0].has_prompt:
        raise SettingsError(
            flag, "decides by one judge that asks a model", f"name one with {option('--judge')}"
        )
    if asked[0].passes is None:
        raise SettingsError(
            flag,
            f"{asked[0].name} has no pass rule, so there is nothing to decide",
            f"add one, such as {option('--pass', example_pass_rule(asked[0]))}",
        )
    if len(options.cascade) < 2:
        raise SettingsError(flag, "one model is no cascade", "name several, the cheapest first")


def _check_jury(options: RunOptions, judges: Sequence[Judge]) -> None:
    if options.jury is None:
        if options.quorum is not None:
            raise SettingsError(
                option("--quorum"), "has no effect without a jury", f"add {option('--jury', 'majority')}"
            )
        return
    if options.jury not in JURY_RULES:
        raise SettingsError(
            option("--jury"), f"`{options.jury}` is not a rule", f"choose one of {', '.join(JURY_RULES)}"
        )
    numbers = [judge for judge in judges if judge.asks_model and not votes_by_label(judge)]
    if options.jury == "majority" and numbers:
        judge = numbers[0]
        scale = f" from {judge.scale.low:g} to {judge.scale.high:g}" if judge.scale else ""
        raise SettingsError(
            option("--jury", "majority"),
            f"{judge.name} gives numbers{scale}, not labels or pass and fail",
            f"use {option('--jury', 'median')} or `mean`",
        )


def _check_shard(options: RunOptions) -> None:
    flag = option("--shard", str(options.shard))
    if options.name is None:
        raise SettingsError(
            flag,
            "needs a name, by which the processes find their run",
            f"give all of them the same {option('--name')}",
        )
    _check_stored(options, flag, "needs a store that all processes reach")
    _check_learning(options, flag, "the labelled cases", "a shard", leave_out=option("--shard"))


def _check_cluster(options: RunOptions) -> None:
    flag = option("--engine", "ray")
    _check_stored(options, flag, "needs a store, through which workers give their judgements")
    if options.shard is not None:
        raise SettingsError(
            flag,
            f"hands the cases out itself; {option('--shard')} is for processes that a scheduler starts",
            f"leave out {option('--shard')}",
        )
    _check_learning(options, flag, "the judgements", "a worker", leave_out=flag)


def _check_stored(options: RunOptions, flag: str, problem: str) -> None:
    if options.store is None:
        raise SettingsError(flag, problem, f"name it with {option('--store')}")


def _check_learning(options: RunOptions, flag: str, what: str, part: str, *, leave_out: str) -> None:
    """What learns from the whole run cannot be judged in parts."""
    if options.cascade:
        raise SettingsError(
            flag,
            f"{option('--cascade')} learns from {what} of the whole run, of which {part} sees a part",
            f"leave out {leave_out}",
        )


def _check_batch(options: RunOptions, *, has_secrets: bool) -> None:
    flag = option("--batch")
    if not options.batch:
        raise SettingsError(
            option("--detach"), "leaves batches behind, and there are none", f"add {flag}, or leave it out"
        )
    _check_stored(options, flag, "needs a store, by which batches are found again")
    one_by_one = "limits requests as they are sent, and those of a batch are sent as one"
    for other, is_given, why in (
        (
            option("--engine", "ray"),
            options.engine == "ray",
            "spreads requests over workers, and a batch is sent from one place",
        ),
        (
            option("--cascade"),
            bool(options.cascade),
            "asks each model when the one before has answered, a day apart",
        ),
        (option("--rpm"), options.rpm is not None, one_by_one),
        (option("--tpm"), options.tpm is not None, one_by_one),
    ):
        if is_given:
            raise SettingsError(flag, f"{other} {why}", f"leave out {other}, or {flag}")
    if has_secrets:
        raise SettingsError(
            option("--param"),
            "holds what looks like a secret, and a batch is a file that the provider keeps",
            f"leave it out, or {flag}",
        )


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


def _check_parameters(parameters: Mapping[str, Json]) -> None:
    for name in parameters:
        if name in RESERVED_PARAMETERS:
            raise SettingsError(
                option("--param"),
                f"`{name}` is set by the run itself",
                f"name the model with {option('--model')}, the prompt with {option('--judge')}",
            )


def _check_distinct(judges: tuple[Judge, ...]) -> None:
    seen: dict[str, Judge] = {}
    for judge in judges:
        if judge.name in seen:
            raise InputError(
                "judges",
                f"two are called `{judge.name}`"
                + ("" if seen[judge.name].hash == judge.hash else " and differ"),
                "name each judge once; `name:` in a judge file's front matter gives it another name",
            )
        seen[judge.name] = judge


def select_rows(
    rows: Iterable[T], *, first: int | None = None, sample: int | None = None, seed: int = 0
) -> Iterator[T]:
    if sample is not None:
        return iter(sample_rows(rows, sample, seed))
    return iter(rows) if first is None else islice(rows, first)


def sample_rows(rows: Iterable[T], count: int, seed: int) -> list[T]:
    """A uniform sample in file order. Reservoir sampling: reads all rows, keeps `count` of them."""
    chance = random.Random(seed)  # noqa: S311 - a sample to be repeated, not a secret
    kept: list[tuple[int, T]] = []
    for position, row in enumerate(rows):
        if position < count:
            kept.append((position, row))
        elif (slot := chance.randint(0, position)) < count:
            kept[slot] = (position, row)
    return [row for _, row in sorted(kept, key=lambda pair: pair[0])]
