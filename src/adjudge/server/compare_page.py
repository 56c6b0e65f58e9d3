"""Two runs compared: what the API answers, and the page made of its records."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Annotated, Literal

import orjson
from msgspec import Meta, field

from adjudge.analysis.comparison.document import (
    difference_plot,
    judge_document,
    judge_title,
    run_facts,
    show_verdict,
    verdict,
)
from adjudge.analysis.comparison.figures import ChangedCase, ChangedCases, Changes, JudgeComparison
from adjudge.analysis.comparison.runs import ComparisonOptions, RunComparison
from adjudge.documents.document import Block, CaseList, Fact, Heading, Plot, Table, Tone, plain
from adjudge.documents.numbers import counted, show_count
from adjudge.documents.records_json import records_json
from adjudge.errors import InputError
from adjudge.fields import CANONICAL, RESPONSES
from adjudge.labels.case_labels import OWN_LABELS
from adjudge.records import IN_CODE, Case, Json
from adjudge.server.differences import Marked, TextPiece, mark_differences
from adjudge.server.figures import AT_ONCE
from adjudge.server.keys import from_key
from adjudge.server.pages import query, short_model
from adjudge.server.routing import Query
from adjudge.server.service import Service
from adjudge.store import RunRecord, planned_judges
from adjudge.text import seen, shorten

Show = Literal["regressions", "improvements", "all", "slices", "statistics"]
MAX_ANSWER_CHARS = 600
"""Characters of an answer in the list of changes; the case's own page has all of it."""
SHARED_TO_MARK = 0.4
"""Of the longer answer."""
MAX_FLIPS = 200
FLIPS = 5
"""As many of either kind as the command line lists when it is not told."""
MAX_PAIRS = 24


class CompareQuery(Query, frozen=True, kw_only=True):
    """What a request wants compared."""

    a: Annotated[str, Meta(max_length=1_000)]
    """The `key` of a run."""
    b: Annotated[str, Meta(max_length=1_000)]
    """The `key` of a run."""
    judge: Annotated[str, Meta(max_length=400)] = ""
    """One judge, or JUDGE_OF_A=JUDGE_OF_B."""
    by: Annotated[str, Meta(max_length=2_000)] = ""
    """One of several models, MODEL_OF_A=MODEL_OF_B, or `jury`."""
    across: bool = False
    """Compare although judges or models differ."""
    people: bool = False
    """Also compare each run's agreement with the cases' labels."""
    flips: Annotated[int, Meta(ge=0, le=MAX_FLIPS)] = FLIPS
    """How many regressions, and how many improvements, to list."""
    slices: Annotated[list[str], Meta(max_length=5)] = field(default_factory=list, name="slice")
    """Metadata columns to compare by."""

    @property
    def values(self) -> dict[str, object]:
        """For links to the same comparison."""
        return {
            **{name: getattr(self, name) for name in ("a", "b", "judge", "by", "across", "people")},
            "slice": [name.removeprefix("metadata.") for name in self.slices],
        }

    @property
    def swapped(self) -> dict[str, object]:
        """For the link to the comparison of B with A."""
        chosen = {"judge": _swapped(self.judge), "by": _swapped(self.by)}
        return {**self.values, "a": self.b, "b": self.a, **chosen}


class PageQuery(CompareQuery, frozen=True, kw_only=True):
    a: Annotated[str, Meta(max_length=1_000)] = ""
    b: Annotated[str, Meta(max_length=1_000)] = ""
    flips: int = MAX_FLIPS
    show: Show | None = None
    q: Annotated[str, Meta(max_length=200)] = ""
    now: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedAnswer:
    """One run's answer to a changed case, with what the other run's does not have."""

    pieces: tuple[TextPiece, ...]
    result: str
    tone: Tone
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedRow:
    case_id: str
    href: str
    question: str | None
    expected: str | None
    answers: tuple[ComparedAnswer, ComparedAnswer]


@dataclass(frozen=True, kw_only=True, slots=True)
class ShowTab:
    """One view of a judge's comparison."""

    show: Show
    text: str
    count: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeSection:
    """One judge: the verdict and its picture, the changed cases, and what only a statistician wants."""

    title: str
    verdict: Fact
    plot: Plot | None
    facts: tuple[Fact, ...]
    """Said at once: warnings, and what was asked of the labels."""
    tabs: tuple[ShowTab, ...]
    rows: tuple[ChangedRow, ...]
    listed: str
    """How many of the changed cases are not listed, where some are not."""
    slices: tuple[Block, ...]
    tables: tuple[Table, ...]
    methods: tuple[Fact, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparePage:
    names: tuple[str, str]
    subject: str
    """What was compared: `correctness · embedded · 150 cases in both`."""
    facts: tuple[Fact, ...]
    """Of both runs, whatever the judge."""
    judges: tuple[JudgeSection, ...]
    show: Show
    command: str
    """What prints the same in a terminal."""


def _swapped(pair: str) -> str:
    """`B=A` of `A=B`; one name is of both sides."""
    a, equals, b = pair.partition("=")
    return f"{b}{equals}{a}"


def compared_runs(service: Service, asked: CompareQuery) -> tuple[RunRecord, RunRecord]:
    return service.run(from_key(asked.a)), service.run(from_key(asked.b))


def compare(
    service: Service,
    asked: CompareQuery,
    runs: tuple[RunRecord, RunRecord],
    *,
    at_once: int | None = None,
) -> RunComparison | None:
    """None where the runs have more judgements than `at_once` and were not compared before."""
    options = ComparisonOptions(
        only=(asked.judge,) if asked.judge else (),
        model=asked.by or None,
        across=asked.across,
        columns=tuple(asked.slices),
        labels=OWN_LABELS if asked.people else None,
        listed=asked.flips,
    )
    return service.comparisons.get(*runs, options, at_once=at_once)


def compare_page(
    service: Service, asked: PageQuery, runs: tuple[RunRecord, RunRecord], *, at_once: int | None
) -> ComparePage | None:
    compared = compare(service, asked, runs, at_once=at_once)
    if compared is None:
        return None
    names = (runs[0].name or runs[0].run_id, runs[1].name or runs[1].run_id)
    show = asked.show or _first_tab([judge.changes for judge in compared.judges])
    return ComparePage(
        names=names,
        subject=_subject(compared),
        facts=tuple(run_facts(compared)),
        judges=tuple(_section(judge, asked, names, show) for judge in compared.judges),
        show=show,
        command=_command(asked, names),
    )


def _first_tab(changes: Sequence[Changes]) -> Show:
    """Regressions, unless only improvements are there to be read."""
    worse, better = (
        any(each.regressions.count for each in changes),
        any(each.improvements.count for each in changes),
    )
    return "improvements" if better and not worse else "regressions"


def _subject(compared: RunComparison) -> str:
    names = [plain(judge_title(judge)) for judge in compared.judges]
    sides = [side for judge in compared.judges for side in (judge.a, judge.b)]
    models = dict.fromkeys(
        short_model(name) or "" for side in sides for name in side.models if name != IN_CODE
    )
    cases = max((judge.matched for judge in compared.judges), default=0)
    parts = (", ".join(names), ", ".join(models), f"{counted(cases, 'case')} in both")
    return " · ".join(filter(None, parts))


def _section(judge: JudgeComparison, asked: PageQuery, names: tuple[str, str], show: Show) -> JudgeSection:
    blocks = [
        block
        for block in judge_document(judge).blocks
        if not isinstance(block, CaseList) and not (isinstance(block, Fact) and block.kind == "finding")
    ]
    facts = tuple(
        block for block in blocks if isinstance(block, Fact) and _at_once(block, people=asked.people)
    )
    slices = tuple(
        block for block in blocks if not isinstance(block, Heading) and block.kind.startswith("slices")
    )
    rest = [block for block in blocks if block not in slices and block not in facts]
    changes = judge.changes
    changed: dict[str, ChangedCases] = {
        "regressions": changes.regressions,
        "improvements": changes.improvements,
    }
    chosen = [each for name, each in changed.items() if show in {name, "all"}]
    cases = [case for each in chosen for case in each.cases]
    left_out = sum(each.count for each in chosen) - len(cases)
    return JudgeSection(
        title=plain(judge_title(judge)),
        verdict=verdict(judge, names[1]),
        plot=difference_plot(judge),
        facts=facts,
        tabs=tuple(_tabs(judge)),
        rows=tuple(_changed_row(judge, case, asked) for case in cases if _fits(case, asked.q)),
        listed=f"The {show_count(len(cases))} largest differences are listed, {show_count(left_out)} more are not."
        if left_out
        else "",
        slices=slices,
        tables=tuple(block for block in rest if isinstance(block, Table)),
        methods=tuple(block for block in rest if isinstance(block, Fact)),
    )


def _at_once(fact: Fact, *, people: bool) -> bool:
    """Warnings, and what was asked about the labels."""
    if fact.detail:
        return False
    return fact.tone in {"warning", "bad"} or (people and fact.kind.startswith("agreement"))


def _tabs(judge: JudgeComparison) -> Iterable[ShowTab]:
    worse, better = judge.changes.regressions.count, judge.changes.improvements.count
    yield ShowTab(show="regressions", text="Regressions", count=worse)
    yield ShowTab(show="improvements", text="Improvements", count=better)
    yield ShowTab(show="all", text="All changes", count=worse + better)
    yield ShowTab(show="slices", text="By slice")
    yield ShowTab(show="statistics", text="Statistics")


def _fits(case: ChangedCase, q: str) -> bool:
    texts = (case.case_id, case.question, case.expected, case.a.response, case.b.response)
    return any(q.casefold() in text.casefold() for text in texts if text)


def _changed_row(judge: JudgeComparison, case: ChangedCase, asked: PageQuery) -> ChangedRow:
    marked = mark_differences(
        *(shorten(seen(each.response or ""), MAX_ANSWER_CHARS) for each in (case.a, case.b))
    )
    if not _resemble(marked):
        marked = Marked(
            *((TextPiece(text="".join(piece.text for piece in side), same=True),) for side in marked)
        )
    worse = case.b if case.difference < 0 else case.a
    a, b = (
        ComparedAnswer(
            pieces=pieces,
            result=show_verdict(judge, each),
            tone="plain" if case.difference == 0 else "bad" if each is worse else "good",
            reason=(each.reason or "") if each is worse else "",
        )
        for each, pieces in ((case.a, marked.a), (case.b, marked.b))
    )
    pair = {"case": case.case_id, "judge": pair_of(judge)}
    return ChangedRow(
        case_id=case.case_id,
        href=f"/compare/case{query(asked.values, only=asked.judge, **pair)}",
        question=case.question,
        expected=case.expected,
        answers=(a, b),
    )


def _resemble(marked: Marked) -> bool:
    """Whether marks would show what differs, and not just that all does."""
    shared = sum(len(piece.text.strip()) for piece in marked.a if piece.same)
    return shared >= SHARED_TO_MARK * max(sum(len(piece.text) for piece in side) for side in marked)


def _command(asked: PageQuery, names: tuple[str, str]) -> str:
    values = [("--only", asked.judge), ("--by", asked.by), *(("--slice", name) for name in asked.slices)]
    options = [f"{name} {quote(value)}" for name, value in values if value]
    flags = [("--across", asked.across), ("--labels cases", asked.people)]
    options += [text for text, chosen in flags if chosen]
    return " ".join(["adjudge compare", *map(quote, names), *options])


# ---- for the page ----------------------------------------------------------------------------------------


def judge_pairs(a: RunRecord, b: RunRecord) -> list[str]:
    """`JUDGE_OF_A=JUDGE_OF_B` for all that can be held against each other; a judge with itself only in two runs."""
    names = [[each.rpartition("@")[0] for each in planned_judges(run.plan)] for run in (a, b)]
    pairs = [f"{one}={other}" for one in names[0] for other in names[1]]
    return [each for each in pairs if a.run_id != b.run_id or len(set(each.split("="))) > 1][:MAX_PAIRS]


def pair_of(judge: JudgeComparison) -> str:
    return "=".join(side.judge.rpartition("@")[0] for side in (judge.a, judge.b))


# ---- one case, side by side ------------------------------------------------------------------------------

CASE_FIELDS = (
    "question",
    "reference",
    "response",
    *RESPONSES,
    "context",
    "tool_calls",
    "expected_tool_calls",
    "messages",
    "focus",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class SideBySide:
    field: str
    a: tuple[TextPiece, ...] | None
    b: tuple[TextPiece, ...] | None
    """None where that side has no such field, or not the case."""
    same: bool
    """Shown once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CasePosition:
    """Where a case stands among the flips."""

    position: int
    """From 1."""
    total: int
    previous: str | None
    next: str | None


def side_by_side(a: Case | None, b: Case | None) -> list[SideBySide]:
    """What was asked and answered, with the differences marked; of other columns those that differ."""
    fields = [{} if case is None else case.fields for case in (a, b)]
    columns = [{} if case is None else _other_columns(case) for case in (a, b)]
    found = [_field_in_both(name, *(each.get(name) for each in fields)) for name in CASE_FIELDS]
    if a is not None and b is not None:
        others = sorted({name for each in columns for name in each})
        found += [
            _field_in_both(name, *(each.get(name) for each in columns))
            for name in others
            if columns[0].get(name) != columns[1].get(name)
        ]
    return [each for each in found if each is not None]


def find_place(
    service: Service, asked: CompareQuery, runs: tuple[RunRecord, RunRecord], pair: str, case: str
) -> CasePosition | None:
    """Among the flips of one pair of judges; None when it is none of them, or large runs were not compared yet."""
    try:
        found = compare(service, asked, runs, at_once=AT_ONCE)
    except InputError:  # two runs that cannot be compared still have the case
        return None
    for judge in found.judges if found else ():
        cases = [changed.case_id for changed in judge.changes.cases]
        if pair_of(judge) == pair and case in cases:
            at = cases.index(case)
            return CasePosition(
                position=at + 1,
                total=len(cases),
                previous=cases[at - 1] if at else None,
                next=cases[at + 1] if at + 1 < len(cases) else None,
            )
    return None


def _other_columns(case: Case) -> Mapping[str, Json]:
    stand_for_fields = {name for name, field in CANONICAL.items() if field in CASE_FIELDS or field == "id"}
    return {name: value for name, value in case.columns.items() if name not in stand_for_fields}


def _field_in_both(name: str, a: Json, b: Json) -> SideBySide | None:
    text_a, text_b = _text(a), _text(b)
    if text_a is None and text_b is None:
        return None
    marked = mark_differences(text_a or "", text_b or "")
    return SideBySide(
        field=str(records_json(name)),
        a=None if text_a is None else marked.a,
        b=None if text_b is None else marked.b,
        same=text_a == text_b,
    )


def _text(value: Json) -> str | None:
    if value is None:
        return None
    plain = records_json(value)
    return seen(plain if isinstance(plain, str) else orjson.dumps(plain, option=orjson.OPT_INDENT_2).decode())
