"""A run's summaries together, with the cases that a person would read first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from adjudge.analysis.cascade.figures import CascadeFigures
from adjudge.analysis.chosen_model import verdicts_of
from adjudge.analysis.jury.figures import JuryFigures
from adjudge.analysis.ranking.figures import SystemRanking
from adjudge.analysis.summary.check_agreement import CheckAgreement
from adjudge.analysis.summary.figures import Summary
from adjudge.documents.document import Fact
from adjudge.options import Shard
from adjudge.procedures.pair import INCONSISTENT
from adjudge.records import Case, Failed, Judgement, is_jury
from adjudge.runs.plan import Pairing
from adjudge.store import Partial, RunRecord, Store
from adjudge.text import field_text, shorten

MAX_CASES = 10
MAX_TEXT_CHARS = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseResult:
    """What one judge found in a case, with one model."""

    judge: str
    judge_hash: str
    model: str
    outcome: str
    score: float | None
    passed: bool | None
    uncertain: bool
    reason: str
    winner: str | None = None
    """Of a comparison of two answers: `a`, `b`, `tie` or `inconsistent`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseResults:
    case_id: str
    question: str | None
    expected: str | None
    answer: str | None
    results: tuple[CaseResult, ...]
    """One for each judge of the run, of the first repeat."""
    compared: tuple[str, str] | None = None
    """The two answers of a case that has no single one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSummary:
    judges: tuple[Summary, ...]
    """One for each judge and model."""
    jurors: tuple[Summary, ...] = ()
    """Of a run with a jury: one for each judge and member."""
    juries: tuple[JuryFigures, ...] = ()
    """What the jury adds to its members, for each judge."""
    ranking: SystemRanking | None = None
    """Of a run that compared systems pair by pair."""
    cascades: tuple[CascadeFigures, ...] = ()
    """Where a cascade decided, for each judge."""
    checks: tuple[CheckAgreement, ...] = ()
    """How often each check in code gives the same answer as each judge that asks a model."""
    run: str | None = None
    source: str | None = None
    """The file that the cases came from."""
    seconds: float | None = None
    """From the run's start to its end."""
    current_date: str | None = None
    """The day that words like "today" referred to, and who said so; None where no prompt was told."""
    partial: Partial | None = None
    """What there is, where that is less than was chosen."""
    shard: Shard | None = None
    """Of which part of the run this is."""
    first_rows: int | None = None
    """With `--first`: so many rows from the head of the file were judged; None: all of them, or a random sample."""
    cases: tuple[CaseResults, ...] = ()
    """Those that came out worst."""
    kept: bool = True
    """In a store, so that commands can show more of it."""
    before: str | None = None
    """The run of the same file before this one."""
    pairing: Pairing | None = None
    """Of a run against another file: how many cases are in both, and which are in one only."""
    facts: tuple[Fact, ...] = field(default=(), compare=False)
    """What only the caller knows: gates, and whether the judges are certified."""


def worst_cases(summaries: Sequence[Summary], most: int = MAX_CASES) -> list[str]:
    """The worst of each judge in turn."""
    ranked = [
        [worst.case_id for worst in summary.worst if not _is_best(worst.score, summary)]
        for summary in summaries
    ]
    turns = (
        ids[place] for place in range(max(map(len, ranked), default=0)) for ids in ranked if place < len(ids)
    )
    return list(dict.fromkeys(turns))[:most]


def _is_best(score: float, summary: Summary) -> bool:
    scale = summary.scale
    return scale is not None and score == (scale.high if summary.better == "higher" else scale.low)


def repeats_of(record: RunRecord) -> int | None:
    """As the run was planned; None where it does not say."""
    planned = record.plan.get("repeats")
    return planned if isinstance(planned, int) else None


def cases_in(judgements: Iterable[Judgement], case_ids: Sequence[str]) -> tuple[CaseResults, ...]:
    """From judgements in memory."""
    found: dict[str, list[Judgement]] = {case_id: [] for case_id in case_ids}
    for judgement in judgements:
        if judgement.repeat == 0 and judgement.case_id in found:
            found[judgement.case_id].append(judgement)
    return tuple(
        _results(
            case_id,
            next((each.case for each in of_case if each.case), None),
            without_votes(of_case),
        )
        for case_id, of_case in found.items()
    )


def without_votes(judgements: Iterable[Judgement]) -> list[Judgement]:
    """Of a case: where a jury decides, it stands for its members."""
    listed = list(judgements)
    decided = {each.judge for each in listed if is_jury(each.model)}
    return [each for each in listed if each.judge not in decided or is_jury(each.model)]


def stored_cases(store: Store, record: RunRecord, case_ids: Sequence[str]) -> tuple[CaseResults, ...]:
    """In a few queries for all of them: there can be thousands."""
    found = store.entries_of(record.run_id, case_ids)

    def results(case_id: str) -> CaseResults:
        judgements = [each.judgement for each in found[case_id]]
        chosen = (each for each in judgements if each.repeat == 0)
        case = next((each.case for each in found[case_id] if each.case is not None), None)
        return _results(case_id, case, without_votes(chosen))

    return tuple(map(results, case_ids))


def failed_cases(store: Store, record: RunRecord) -> list[str]:
    """The cases that some judge did not pass, in their order; a member of a jury does not decide that."""
    failed = verdicts_of(store.failed(record.run_id), record, None)
    return list(dict.fromkeys(each.case_id for each in failed))


def _results(case_id: str, case: Case | None, judgements: Iterable[Judgement]) -> CaseResults:
    def text(field: str) -> str | None:
        found = None if case is None else field_text(case.fields, field)
        return None if found is None else shorten(found, MAX_TEXT_CHARS)

    a, b = text("response_a"), text("response_b")
    return CaseResults(
        case_id=case_id,
        question=text("question"),
        expected=text("reference"),
        answer=text("response"),
        compared=None if a is None or b is None else (a, b),
        results=tuple(
            CaseResult(
                judge=each.judge,
                judge_hash=each.judge_hash,
                model=each.model,
                outcome=each.outcome.kind,
                score=each.score,
                passed=each.passed,
                uncertain=any(note.partition(":")[0] == "uncertain" for note in each.notes),
                reason=shorten(
                    (each.outcome.message if isinstance(each.outcome, Failed) else each.reason) or "",
                    MAX_TEXT_CHARS,
                ),
                winner=_winner(each),
            )
            for each in judgements
        ),
    )


def _winner(judgement: Judgement) -> str | None:
    winner = judgement.verdict.get("winner")
    if not isinstance(winner, str) or "a_first" not in judgement.verdict:
        return None
    return INCONSISTENT if INCONSISTENT in judgement.notes else winner
