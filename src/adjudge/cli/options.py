"""What single commands can be told, beside the options of a run; the flags are made from these records."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Literal

from adjudge.options import DEFAULT_STORE, RunOptions, declared
from adjudge.options.declaration import (
    ANY,
    INSIDE,
    JUDGE,
    MODEL,
    NO_PAIRS,
    Option,
    OptionField,
    declare,
    never,
    opt,
)
from adjudge.options.run_options import parse_amount
from adjudge.probes.names import ProbeName

MODEL_OPTIONS = ("model", "base_url", "temperature", "max_output_tokens", "parameters")
ASK_OPTIONS = ("model", "base_url", "parameters", "max_cost", "price")
"""Of a model that is asked once."""
INPUT_OPTIONS = ("columns", "variables")

# ---- single flags ----

JUDGES = OptionField(
    "judges",
    tuple[str, ...],
    (),
    Option(
        flag="--judge",
        short="-J",
        config=JUDGE,
        help="A built-in judge's name, a judge file, or FILE#name; may be repeated.",
    ),
)
STORE_FLAG = declared(RunOptions)["store"]
JSON = OptionField(
    "as_json", bool, False, Option(config=ANY, flag="--json", help="Print JSON instead of text.")
)
VERBOSE = Option(
    config=ANY, short="-v", help="Show details too: methods, hashes, costs, notes on normal work."
)
ONE_OF_SEVERAL = Option(
    flag="--by",
    config=never("it applies to one run"),
    metavar="MODEL",
    help="Whose verdicts, where several models judged the run; `jury` (the default where there is one) for the jury's.",
)
LABEL_MAP = Option(
    config=ANY,
    metavar="NAME=VALUE",
    help="What a label on another scale stands for: `good=1`, `bad=fail`, `unsure=skip`; may be repeated.",
)


# ---- what is printed and written ----


@dataclass(frozen=True, kw_only=True, slots=True)
class RunOutput:
    outputs: tuple[str, ...] = opt(
        (),
        INSIDE,
        "Write rows to FILE.jsonl, .csv, .parquet or .junit.xml, the report to .html or .md; may be repeated.",
        flag="--output",
        short="-o",
    )
    slices: tuple[str, ...] = opt(
        (),
        ANY,
        "Report also by the values of this column or metadata key; may be repeated.",
        flag="--slice",
        metavar="COLUMN",
    )
    form: Literal["rows", "contract"] = opt(
        "rows", ANY, "Print result rows, or what the judge's own output format asks for.", flag="--as"
    )
    as_json: bool = declare(False, JSON.option)
    verbose: bool = declare(False, VERBOSE)


@dataclass(frozen=True, kw_only=True, slots=True)
class GateOptions:
    fail_under: tuple[str, ...] = opt((), ANY, "Exit 1 when a judge's mean is under X.", metavar="[JUDGE=]X")
    fail_under_pass_rate: tuple[str, ...] = opt(
        (), ANY, "Exit 1 when the pass rate is under X (0 to 1).", metavar="[JUDGE=]X"
    )
    gate: Literal["lower", "point"] = opt(
        "lower", ANY, "Compare the lower end of the figure's 95 % interval, or the figure itself (point)."
    )
    max_error_rate: float | None = opt(
        None,
        ANY,
        "Exit 3 when more than this share was not judged; 0.05 when a gate is set, else off.",
        least=0,
        most=1,
    )
    max_abstain_rate: float | None = opt(
        None,
        ANY,
        "Exit 3 when the judge abstained on more than this share; unset, they count for --max-error-rate.",
        least=0,
        most=1,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class CardOptions:
    require_card: bool = opt(
        False,
        ANY,
        "Exit 2 when a judge has no card for this model (`adjudge certify`), 1 when a probe on it failed or is inconclusive.",
    )
    allow_inconclusive: bool = opt(
        False, ANY, "With --require-card: probes that are inconclusive do not fail the run."
    )


# ---- judge, certify, view ----


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseFields:
    """One case, given on the command line."""

    question: str | None = opt(None, ANY, "What was asked.")
    response: str | None = opt(None, ANY, "What is to be judged.")
    reference: tuple[str, ...] = opt((), ANY, "What was expected; repeated: any one suffices.")
    context: tuple[str, ...] = opt((), ANY, "What the answer could draw on; may be repeated.")
    tool_calls: str | None = opt(None, ANY, "The tool calls, as JSON; `[]` says that none were made.")
    focus: str | None = opt(None, ANY, "What to weigh most.")


@dataclass(frozen=True, kw_only=True, slots=True)
class CertifyOptions:
    cases: str | None = opt(
        None,
        INSIDE,
        "Answers to try it on, labelled right or wrong if possible, or pairs labelled A, B or tie; else built-in ones.",
    )
    probes: tuple[ProbeName, ...] = opt((), ANY, "Only these probes; may be repeated.", flag="--probe")
    label_map: Mapping[str, str] = declare(NO_PAIRS, LABEL_MAP)
    tries: int = opt(2, ANY, "Wrong answers per attack.", least=1)
    retests: int = opt(3, ANY, "Judge untouched answers this often.", least=2)
    sample: int = opt(160, ANY, "Use at most N of --cases, at random.", least=2)
    seed: int = opt(0, ANY, "Which sample, and which attack meets which answer.")
    outputs: tuple[str, ...] = opt(
        (),
        INSIDE,
        "Write the card to FILE.json, FILE.html or FILE.md; may be repeated.",
        flag="--output",
        short="-o",
    )
    as_json: bool = declare(False, JSON.option)
    verbose: bool = declare(False, VERBOSE)


@dataclass(frozen=True, kw_only=True, slots=True)
class ViewOptions:
    port: int | None = opt(
        None, ANY, "Port to serve on; by default 8321, or a free one.", least=1, most=65_535
    )
    models: tuple[str, ...] = opt(
        (),
        MODEL,
        "A model the pages and the API may use; may be repeated. By default `embedded`, for the built-in judges.",
        flag="--model",
        metavar="MODEL",
    )
    base_url: str | None = opt(
        None,
        declared(RunOptions)["base_url"].option.config,
        "Where an `openai:` model is served.",
        metavar="URL",
    )
    max_cost: Decimal | None = opt(
        None,
        ANY,
        "The most that one run, or one case, that the pages or the API ask for may cost; a request can lower it.",
        parse=parse_amount,
        metavar="USD",
    )
    judges: tuple[str, ...] = opt(
        (),
        JUDGE,
        "A judge file the pages and the API may use besides the built-in judges; may be repeated.",
        flag="--judge",
        metavar="FILE",
    )
    token_file: Path | None = opt(
        None,
        never("whoever wrote the file would know the token"),
        "Keep the access token in this file, created if missing, so that programs can read it; by default it is new each time.",
        metavar="FILE",
    )
    no_browser: bool = opt(False, ANY, "Print the address without opening a browser.")
    store: str = declare(DEFAULT_STORE, STORE_FLAG.option)


# ---- compare, agree, plan ----


@dataclass(frozen=True, kw_only=True, slots=True)
class CompareOptions:
    only: tuple[str, ...] = opt(
        (), ANY, "Compare only this judge, or JUDGE_OF_A=JUDGE_OF_B; may be repeated.", metavar="JUDGE"
    )
    model: str | None = opt(
        None,
        never("it applies to two runs"),
        "Whose verdicts, where several models judged a run: MODEL, or MODEL_OF_A=MODEL_OF_B; `jury` for a jury's.",
        flag="--by",
        metavar="MODEL",
    )
    across: bool = opt(False, ANY, "Compare even if judges, judge versions or models differ.")
    columns: tuple[str, ...] = opt(
        (), ANY, "Compare by metadata column; may be repeated.", flag="--slice", metavar="COLUMN"
    )
    labels: str | None = opt(
        None,
        INSIDE,
        "Compare both judges with these labels; `cases`: the cases' own labels.",
        metavar="FILE",
    )
    label_map: Mapping[str, str] = declare(NO_PAIRS, LABEL_MAP)
    listed: int = opt(
        5,
        ANY,
        "How many regressions, and how many improvements, to list.",
        flag="--flips",
        least=0,
        most=10_000,
    )
    seed: int = opt(0, ANY, "Seed of the random permutations, where not all are tried.")
    store: str = declare(DEFAULT_STORE, STORE_FLAG.option)
    as_json: bool = declare(False, JSON.option)
    verbose: bool = declare(False, VERBOSE)


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparisonGateOptions:
    fail_on_regression: bool = opt(False, ANY, "Exit 1 when B is significantly worse (p <= 0.05).")
    margin: float | None = opt(
        None,
        ANY,
        "Exit 1 unless the lower bound of B - A is above -D (non-inferiority).",
        above=0,
        metavar="D",
    )
    inconclusive: Literal["pass", "fail"] = opt(
        "pass", ANY, "`fail`: exit 3 when too few cases were compared to tell."
    )
    max_error_rate: float | None = opt(
        None,
        ANY,
        "Exit 3 when a larger share of the matched cases was not judged in both runs; 0.05 with a gate.",
        least=0,
        most=1,
        metavar="P",
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class AgreeOptions:
    model: str | None = declare(None, ONE_OF_SEVERAL)
    only: str | None = opt(
        None, ANY, "Which judge, where the run has several: NAME or NAME@HASH.", metavar="JUDGE"
    )
    label_map: Mapping[str, str] = declare(NO_PAIRS, LABEL_MAP)
    annotator: str | None = opt(None, ANY, "Annotator for labels that name none.", metavar="NAME")
    adjudicators: tuple[str, ...] = opt(
        (),
        ANY,
        "An annotator who settled disagreements: their label is the final one, and they are not compared with the "
        "others; may be repeated.",
        flag="--adjudicator",
        metavar="NAME",
    )
    slices: tuple[str, ...] = opt(
        (), ANY, "Agreement by metadata column; may be repeated.", flag="--slice", metavar="COLUMN"
    )
    disagreements: int = opt(5, ANY, "How many of the largest disagreements to list.", least=0, metavar="N")
    random_sample: bool = opt(
        False,
        ANY,
        "The labelled cases are a uniform random sample of the run's: use them to correct its means.",
    )
    epsilon: float = opt(
        0.2,
        ANY,
        "How much worse than a person the alt-test lets the judge be; 0.1 where crowd workers labelled.",
        least=0,
        most=1,
    )
    no_keep: bool = opt(False, ANY, "Use LABELS alone, and store nothing.")
    forget: bool = opt(
        False,
        never("it removes labels"),
        "Remove the stored labels of this run's cases (of --annotator alone, if given).",
    )
    seed: int = opt(0, ANY, "Seed of the bootstrap and of draws.")
    store: str = declare(DEFAULT_STORE, STORE_FLAG.option)
    verbose: bool = declare(False, VERBOSE)
    as_json: bool = declare(False, JSON.option)


@dataclass(frozen=True, kw_only=True, slots=True)
class DrawOptions:
    """Which cases to label next."""

    count: int | None = opt(
        None,
        ANY,
        "Sample N cases to label, with known sampling probabilities, into a file to fill in; 0 rewrites those not labelled yet.",
        flag="--next",
        least=0,
        metavar="N",
    )
    to_label: str = opt(
        "to_label.jsonl",
        INSIDE,
        "File to write the sample to: .jsonl, .csv, or - for stdout.",
        short="-o",
        metavar="FILE",
    )
    uniform: float = opt(0.1, ANY, "The share of a draw that is sampled uniformly.", least=0.1, most=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanOptions:
    effect: float | None = opt(
        None,
        ANY,
        "Smallest true difference in means or pass rates to detect.",
        above=0,
        metavar="D",
    )
    runs: tuple[str, ...] = opt(
        (), ANY, "Take the spread of scores from one or two stored runs.", flag="--run", metavar="RUN"
    )
    only: str | None = opt(None, ANY, "Which judge of those runs.", metavar="JUDGE")
    sd: float | None = opt(None, ANY, "Standard deviation of the paired differences, if known.", above=0)
    rates: str | None = opt(None, ANY, "The two assumed pass rates, such as 0.80,0.82.", metavar="A,B")
    correlation: float | None = opt(
        None,
        ANY,
        "With --rates: correlation of passes between the two runs; 0 is the conservative choice.",
        least=-1,
        most=1,
    )
    clusters: str | None = opt(
        None,
        ANY,
        "Cases per cluster, and the correlation of their differences (1 by default).",
        metavar="SIZE[,R]",
    )
    power: float = opt(
        0.8, ANY, "Statistical power: chance of detecting a true difference of that size.", above=0, below=1
    )
    store: str = declare(DEFAULT_STORE, STORE_FLAG.option)
    as_json: bool = declare(False, JSON.option)
