"""Which options exclude each other, and which need another: one table, walked before anything is opened or asked."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from adjudge.errors import OptionsError
from adjudge.options.declaration import declared
from adjudge.options.run_options import RunOptions
from adjudge.options.spelling import option

BATCH_JUDGE = "BatchJudge"
"""Stands in the table like an option: what judges batches of rows cannot have all options of a run."""


class Rule(NamedTuple):
    """Options are written as flags, an argument in capitals; with a value (`--turns each`) only that one is meant."""

    option: str
    excludes: tuple[str, ...]
    requires: str
    why: str
    hint: str


def excludes(option: str, *others: str, why: str, hint: str = "") -> Rule:
    return Rule(option, others, "", why, hint)


def requires(option: str, other: str, *, why: str, hint: str = "") -> Rule:
    return Rule(option, (), other, why, hint)


GATES = ("--fail-under", "--fail-under-pass-rate", "--max-error-rate", "--max-abstain-rate")
LIMITING_PARAMETERS = (
    *("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens"),
    *("generationConfig", "generation_config", "n", "best_of", "candidateCount"),
)
"""Request parameters that let a reply cost more than was reserved for it."""
OF_A_PART = "a cascade learns from the labelled cases of the whole run, and {} has only some of them"

EXCLUSIONS = (
    excludes(
        BATCH_JUDGE,
        "--against",
        why="two whole files are paired",
        hint="put both answers into one row, as `response_a` and `response_b`",
    ),
    excludes(BATCH_JUDGE, "--cascade", why=OF_A_PART.format("a batch")),
    excludes(BATCH_JUDGE, "--turns each", why="each row gets one judgement of each judge, not one per turn"),
    excludes(
        BATCH_JUDGE,
        *("--first", "--sample", "--seed"),
        why="a batch does not know the others",
        hint="choose the rows before they are judged",
    ),
    excludes(
        BATCH_JUDGE,
        *("--shard", "--engine", "--ray-address", "--workers"),
        why="the engine that calls it decides where batches are judged",
    ),
    excludes(
        BATCH_JUDGE,
        "--deadline",
        why="a worker lives as long as its engine wants",
        hint="set a time limit in the engine",
    ),
    excludes(
        BATCH_JUDGE,
        *("--batch", "--detach"),
        why="the engine waits for each batch of rows, and a provider's batch takes up to a day",
    ),
    excludes("--first", "--sample", why="each of them chooses the cases"),
    requires("--seed", "--sample", why="it is the seed of the sample"),
    excludes(
        "--against",
        "--turns each",
        why="two systems' conversations differ before the turn",
        hint="compare the last turn or the whole conversation",
    ),
    requires("--quorum", "--jury", why="it counts a jury's votes"),
    excludes("--cascade", "--model", "--jury", why="a cascade lists its own models"),
    requires("--cascade", "--labels", why="it learns from people's labels which cases each model may decide"),
    requires(
        "--shard",
        "--name",
        why="the processes find their run by its name",
        hint="give all of them the same --name",
    ),
    requires("--shard", "--store", why="the processes share it"),
    excludes("--shard", "--cascade", why=OF_A_PART.format("a shard")),
    excludes(
        "--shard",
        *GATES,
        why="a shard has only some of the cases, and a gate is for all of them",
        hint="leave it out here; when all shards are done, pass it to `adjudge report NAME`",
    ),
    requires("--engine ray", "--store", why="workers hand in their judgements there"),
    excludes("--engine ray", "--shard", why="the cluster hands out the cases itself"),
    excludes("--engine ray", "--cascade", why=OF_A_PART.format("a worker")),
    requires("--detach", "--batch", why="only batches are collected later"),
    requires("--batch", "--store", why="batches are found again there"),
    excludes("--batch", "--engine ray", why="a batch is sent from one place"),
    excludes("--batch", "--cascade", why="each model would wait a day for the one before it"),
    excludes("--batch", "--rpm", "--tpm", why="the requests of a batch are sent as one"),
    excludes(
        "--max-cost",
        *(f"--param {name}" for name in LIMITING_PARAMETERS),
        why="the run itself limits what a reply may cost",
        hint="set the length of replies with --max-output-tokens",
    ),
    excludes("--json", "--as contract", "--output -", why="each of them prints to stdout"),
    requires("--allow-inconclusive", "--require-card", why="it is about the probes on a required card"),
    excludes(
        "--next",
        *("LABELS", "--forget"),
        why="it samples cases to label and reads no labels",
        hint="make two calls",
    ),
    excludes("--forget", "LABELS", why="it removes labels and reads none"),
    requires("--no-keep", "LABELS", why="it applies only to a file of labels"),
    excludes("--run", "--sd", "--rates", why="each of them sets the spread of the scores"),
    excludes("--sd", "--rates", why="each of them sets the spread of the scores"),
    excludes(
        "--correlation",
        "--sd",
        why="it belongs to --rates or to one --run",
        hint="leave it out: the spread is known already",
    ),
)


class Setting(NamedTuple):
    """What an option was set to, wherever that was said."""

    value: Any
    default: Any

    def is_given(self, value: str) -> bool:
        """Whether it has this value, or with none named another one than its default."""
        if value:
            held = self.value if isinstance(self.value, tuple | Mapping) else (self.value,)
            return value in held
        return self.value is not None if self.default is None else bool(self.value != self.default)

    @property
    def is_there(self) -> bool:
        return self.value is not None and self.value is not False


Spell = Callable[[str, str], str]
"""How the caller writes an option and its value."""


def validate_options(settings: Mapping[str, Setting], spell: Spell) -> None:
    """Refuse what the table says. `settings` has all options that can be set here; rules about others do not apply."""
    for rule in EXCLUSIONS:
        if not _is_given(rule.option, settings):
            continue
        others = [other for other in rule.excludes if _is_given(other, settings)]
        if others:
            _refuse(rule, "cannot be combined with", others, "leave out {option} or {others}", spell)
        if rule.requires in settings and not settings[rule.requires].is_there:
            _refuse(rule, "requires", [rule.requires], "add {others}", spell)


def validate_run_options(options: RunOptions, *more: str) -> None:
    """The same for Python's keywords; `more` is what else stands in the table."""
    settings = {
        each.flag: Setting(getattr(options, name), each.default)
        for name, each in declared(RunOptions).items()
    }
    validate_options(settings | dict.fromkeys(more, Setting(True, default=False)), option)


def _is_given(term: str, settings: Mapping[str, Setting]) -> bool:
    name, _, value = term.partition(" ")
    return name in settings and settings[name].is_given(value)


def _refuse(rule: Rule, verb: str, others: list[str], hint: str, spell: Spell) -> None:
    def spelled(term: str) -> str:
        name, _, value = term.partition(" ")
        return spell(name, value) if name.startswith("--") else term

    first, second = spelled(rule.option), [spelled(other) for other in others]
    raise OptionsError(
        first,
        f"{verb} {' or '.join(second)}: {rule.why}",
        _FLAG.sub(lambda flag: spell(flag[0], ""), rule.hint)
        or hint.format(option=first, others=" and ".join(second)),
        options=(rule.option, *others),
    )


_FLAG = re.compile(r"--[a-z-]+")
