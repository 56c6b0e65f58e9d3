"""Which cases: those that failed, and a table of cases and judges."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from adjudge.analysis.summary.figures import Summary
from adjudge.analysis.summary.headline import is_pass_or_fail
from adjudge.analysis.summary.run import CaseResult, CaseResults, RunSummary
from adjudge.documents.document import (
    Block,
    CaseEntry,
    CaseList,
    Document,
    Quote,
    Table,
    Text,
    command_of,
)
from adjudge.documents.numbers import (
    NOTHING_TO_SHOW,
    counted,
    show_count,
)
from adjudge.text import shorten

WINNERS = {"a": "A wins", "b": "B wins"}
MAX_CASES = 5
"""In the list of those that failed; the table of cases and judges has a few more."""


def failed_blocks(run: RunSummary) -> Iterator[Block]:
    if not run.cases:
        return
    if len(run.judges) > 1:
        yield case_table(run)
    ruled = [summary for summary in run.judges if summary.passed is not None]
    failing = (
        [case for case in run.cases if any(result.passed is False for result in case.results)]
        if ruled
        else [case for case in run.cases if any(result.winner in {None, "b"} for result in case.results)]
    )
    if not failing and not ruled:
        return
    listed = [
        _entry(case, binary_judges(run.judges), several=len(run.judges) > 1) for case in failing[:MAX_CASES]
    ]
    show_all: Text = (
        ("all: ", command_of("show", run.run, "--failed")) if run.run and run.kept and ruled else ""
    )
    if ruled:
        failed = sum(
            (summary.pass_rate.n if summary.pass_rate else 0) - (summary.passed or 0) for summary in ruled
        )
        if not failed:
            return
        text = f"{show_count(failed)}, {len(listed)} shown" if failed > len(listed) else show_count(failed)
        yield CaseList(kind="failed", label="Failed", text=text, cases=tuple(listed), aside=show_all)
    else:
        label = "B wins" if all(summary.pairs for summary in run.judges) else "Lowest"
        yield CaseList(kind="failed", label=label, text=f"{len(listed)} shown", cases=tuple(listed))


def failed_document(run: str, cases: Sequence[CaseResults], binary: Collection[str]) -> Document:
    """All the cases that failed, to be read; `binary` as for `case_result`."""
    several = len({(result.judge, result.model) for case in cases for result in case.results}) > 1
    entries = tuple(_entry(case, binary, several=several) for case in cases)
    listed = CaseList(kind="failed", label="Failed", text=counted(len(cases), "case"), cases=entries)
    return Document(title=("run ", Quote(run)), blocks=(listed,))


def _entry(case: CaseResults, binary: Collection[str], *, several: bool) -> CaseEntry:
    lines = [(word, text) for word, text in (("expected", case.expected), ("got", case.answer)) if text]
    if case.compared is not None and case.answer is None:
        lines += zip("AB", case.compared, strict=True)
    if case.answer is not None and not case.answer:
        lines.append(("got an empty response", ""))
    reason = next((result.reason for result in case.results if result.reason and not result.passed), "")
    marks = [
        f"{_whose(result, case.results) if several else 'score'} {text}"
        if several or text[0].isdigit()
        else text
        for result in case.results
        for text in [case_result(result, binary)]
    ]
    marks += ["uncertain"] if any(result.uncertain for result in case.results) else []
    return CaseEntry(
        case_id=case.case_id,
        question=case.question,
        lines=tuple(lines),
        marks=tuple(mark for mark in marks if several or mark != "fail"),
        reason=reason,
    )


def _whose(result: CaseResult, others: Sequence[CaseResult]) -> str:
    """The judge, and the model where several answered it."""
    models = {each.model for each in others if each.judge == result.judge}
    return f"{result.judge} ({result.model})" if len(models) > 1 else result.judge


def case_result(result: CaseResult, binary: Collection[str]) -> str:
    """`fail`, `3` or `missing input`; `binary` are the judges, as `name@hash`, whose pass or fail says all."""
    if result.score is None:
        return result.outcome.replace("_", " ")
    if result.winner is not None:
        return WINNERS.get(result.winner, result.winner)
    if result.passed is None or f"{result.judge}@{result.judge_hash}" not in binary:
        return f"{result.score:g}"
    return "pass" if result.passed else "fail"


def binary_judges(summaries: Iterable[Summary]) -> set[str]:
    return {f"{each.judge}@{each.judge_hash}" for each in summaries if is_pass_or_fail(each)}


def case_table(run: RunSummary) -> Table:
    """Cases × judges."""
    judges = list(dict.fromkeys((summary.judge, summary.judge_hash, summary.model) for summary in run.judges))
    binary = binary_judges(run.judges)
    rows: list[tuple[Text, ...]] = []
    for case in run.cases:
        found = {(result.judge, result.judge_hash, result.model): result for result in case.results}
        cells = [case_result(found[judge], binary) if judge in found else NOTHING_TO_SHOW for judge in judges]
        rows.append(
            (
                Quote(shorten(case.case_id, 24)),
                Quote(shorten(" ".join((case.question or "").split()), 40)),
                *cells,
            )
        )
    several = Counter(name for name, *_ in judges)
    names = (f"{name} ({model})" if several[name] > 1 else name for name, _, model in judges)
    header: tuple[Text, ...] = ("Case", "Question", *map(Quote, names))
    return Table(kind="cases", caption="Lowest cases, by judge", header=header, rows=tuple(rows))
