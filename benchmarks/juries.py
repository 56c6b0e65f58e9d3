"""What pairs and juries cost in CPU, and with `python benchmarks/juries.py DATA` what juries of recorded judges are worth.

DATA holds `NAME.jsonl.gz` files whose rows carry, beside a person's label, what several judges said of them
(`meta.judges`). Each judge becomes a juror that says again what it said then; what is measured is what the report says.
"""

import asyncio
import gzip
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from common import MODEL, Figure, Setting, cpu_seconds, judge_all, serving, write_cases
from cpu import post_all

ROWS, JOBS, ROUNDS = 600, 64, 3
JURORS = tuple(f"{MODEL}{letter}" for letter in "abc")
REACH = {"jury": 1.25, "pairs": 1.5}
SETS = ("nq301", "faithbench")
JUDGE = """---
adjudge: 1
name: recorded
verdict: {reason: string, score: {enum: [0, 1]}}
passes: score >= 1
---
Is the response acceptable?
{{response}}
"""

# ---- what they cost ------------------------------------------------------------------------------------


def measure(setting: Setting) -> list[Figure]:
    rows = setting.rows(ROWS)
    return [asyncio.run(_jury(setting, rows)), asyncio.run(_pairs(setting, rows))]


async def _jury(setting: Setting, rows: int) -> Figure:
    """A jury of three beside three runs of one model each, by turns: what the verdict costs beside its votes."""
    cases = write_cases(setting.folder / "cases.jsonl", rows)
    whole, apart, bare = [], [], []
    with serving(keep=True) as server:
        await judge_all(cases, server, setting.folder / "bodies.db", judge="relevance", jobs=JOBS)
        bodies = [body.encode() for body in server.ask("bodies")]
    for turn in range(ROUNDS):
        with serving() as server:
            bare.append(3 * await _timed(post_all(bodies, server)) / rows)
            apart.append(0.0)
            for juror in JURORS:
                store = setting.folder / f"{turn}-{juror[-1]}.db"
                spent = await _timed(
                    judge_all(cases, server, store, judge="relevance", jobs=JOBS, models=(juror,))
                )
                apart[-1] += spent / rows
            store = setting.folder / f"{turn}-jury.db"
            judged = judge_all(
                cases, server, store, judge="relevance", jobs=JOBS, models=JURORS, jury="median"
            )
            whole.append(await _timed(judged) / rows)
    return _figure(f"CPU per case of a jury of 3, {rows:,} rows", "jury", whole, apart, bare)


async def _pairs(setting: Setting, rows: int) -> Figure:
    """Both orders of a comparison beside two judgements of one answer."""
    single, pairs = write_cases(setting.folder / "cases.jsonl", rows), setting.folder / "pairs.jsonl"
    with single.open(encoding="utf-8") as lines, pairs.open("w", encoding="utf-8") as file:
        for case in map(json.loads, lines):
            answer = case.pop("response")
            file.write(
                json.dumps({**case, "response_a": answer, "response_b": f"{answer} It is tarred."}) + "\n"
            )
    whole, apart, bare = [], [], []
    with serving(keep=True) as server:
        await judge_all(pairs, server, setting.folder / "bodies.db", judge="preference", jobs=JOBS)
        bodies = [body.encode() for body in server.ask("bodies")]
    for turn in range(ROUNDS):
        with serving() as server:
            bare.append(await _timed(post_all(bodies, server)) / rows)
            store = setting.folder / f"{turn}-single.db"
            spent = await _timed(judge_all(single, server, store, judge="relevance", jobs=JOBS))
            apart.append(2 * spent / rows)
            store = setting.folder / f"{turn}-pairs.db"
            judged = judge_all(pairs, server, store, judge="preference", jobs=JOBS)
            whole.append(await _timed(judged) / rows)
    return _figure(f"CPU per case of a pair, both orders, {rows:,} rows", "pairs", whole, apart, bare)


async def _timed(work: Any) -> float:
    """Processor time in milliseconds."""
    started = cpu_seconds()
    await work
    return (cpu_seconds() - started) * 1000


def _figure(what: str, name: str, whole: list[float], apart: list[float], bare: list[float]) -> Figure:
    value = median(one / other for one, other in zip(whole, apart, strict=True))
    return Figure(
        what=what,
        measured=f"{median(whole):.3f} ms",
        floor=f"{median(apart):.3f} ms apart",
        value=value,
        shown=f"{value:.2f} ×",
        reach=f"≤ {REACH[name]} ×",
        reached=value <= REACH[name],
        note=f"bare calls {median(bare):.3f} ms; median of {ROUNDS} rounds",
    )


# ---- what they are worth -------------------------------------------------------------------------------


def worth(data: Path) -> str:
    """A table: each set's judges, the jury of them all, how many votes that is, and whether it beats the best."""
    lines = [
        "| set | cases | single judges, as labelled | jury (majority) | effective votes | jury − best |",
        "|---|---|---|---|---|---|",
    ]
    for name in SETS:
        rows = [row for row in _read(data / f"{name}.jsonl.gz") if row["meta"].get("judges")]
        rows = [row for row in rows if row["label"] in {0, 1}]
        majority = _report(rows)
        singles = ", ".join(f"{each.model.partition(':')[2]} {_share(each)}" for each in majority.jurors)
        (jury,) = majority.juries
        effective, best = jury.effective, jury.best
        gain = best.difference
        lines.append(
            f"| {name} | {len(rows):,} | {singles} | {_share(majority.judges[0])} | "
            f"{effective.value.value:.1f} [{effective.value.low:.1f}, {effective.value.high:.1f}] of {effective.jurors} (ρ {effective.correlation.value:.2f}) | "
            f"{100 * gain.value:+.1f} points [{100 * gain.low:+.1f}, {100 * gain.high:+.1f}] |"
        )
    return "\n".join(lines)


def _read(path: Path) -> Iterable[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _share(summary: Any) -> str:
    return "–" if summary.agreement is None else f"{summary.agreement.rate.value:.3f}"


def _report(rows: Sequence[dict[str, Any]]) -> Any:
    import adjudge  # noqa: PLC0415 - other benchmarks measure processes that must stay small
    from adjudge.judges import parse_judge  # noqa: PLC0415 - likewise

    class Recorded(adjudge.ModelClient):
        """Says of each case what it said when it was recorded; a probability of a half or more is a yes."""

        def __init__(self, juror: str) -> None:
            self.name = f"recorded:{juror}"
            said = {row["id"]: row["meta"]["judges"].get(juror) for row in rows}
            self._said = {case: None if vote is None else int(vote >= 0.5) for case, vote in said.items()}

        async def complete(self, request: adjudge.Request) -> adjudge.Completion:
            vote = self._said[request.case_id]
            if vote is None:
                return adjudge.Completion(text="nothing was recorded", finish="refusal")
            return adjudge.Completion(text=json.dumps({"reason": "recorded", "score": vote}))

        async def close(self) -> None:
            pass

    names = sorted({juror for row in rows for juror in row["meta"]["judges"]})
    cases = [
        {"id": row["id"], "response": row["response"], "label": row["label"], "cluster": row["meta"]["qid"]}
        for row in rows
    ]
    return adjudge.evaluate(
        cases,
        parse_judge(JUDGE, name="recorded"),
        model=[Recorded(name) for name in names],
        jury="majority",
        quorum=1,
        labels="cases",
        store=None,
    ).report()


if __name__ == "__main__":
    print(worth(Path(sys.argv[1])))
