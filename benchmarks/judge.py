"""The embedded judge's card: `python benchmarks/judge.py DATA [--limit N] [--out card.json]`, from labelled files given by path.

DATA holds `NAME.jsonl.gz` files of labelled rows. Of the sets that the adapter was trained on only the questions that were
held back are judged, of the others all. Everything goes through the judges as they ship.
"""

import argparse
import asyncio
import json
import random
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import adjudge
from adjudge.embedded.card import CARD, CardFigure, EmbeddedCard
from adjudge.embedded.client import EmbeddedClient
from adjudge.embedded.model.small_model import SmallModel

sys.path.insert(0, str(Path(__file__).parent.parent))
from training.examples import facts
from training.figures import accuracy, balanced_accuracy, interval, kappa, pearson, spearman
from training.rows import HELD_BACK, MEASURED_ONLY, Row, read_rows

SEED = 20261115
Figure = Callable[[Any, Any], float]
DECISIONS: dict[str, Figure] = {"accuracy": accuracy, "kappa": kappa}
RANKS: dict[str, Figure] = {"spearman": spearman, "pearson": pearson}
SUPPORTED: dict[str, Figure] = {"balanced accuracy": balanced_accuracy, "kappa": kappa}
"""Whether every claim is supported: few responses of some sets are."""
WHOLLY = 0.999
SETS: dict[str, tuple[Sequence[str], dict[str, Figure]]] = {
    "correctness": (
        (
            "evouna_nq", "evouna_tq", "nq301", "truthfulqa", "semeval13_beetle", "semeval13_scientsbank",
            "financebench", "inject_synth", "masterkey",
        ),
        DECISIONS,
    ),
    "coverage": (("realsumm", "mohler"), RANKS),
    "helpfulness": (("feedbackqa", "medquad_liveqa", "alce_utility", "roscoe"), RANKS),
    "relevance": (("feedbackqa", "alce_utility", "summeval"), RANKS),
    "groundedness": (("begin", "summedits", "qags", "faithbench"), SUPPORTED),
}  # fmt: skip
NOT_MEASURED = (
    "languages other than English",
    "responses of more than about 400 words, of which the middle is not read (coverage reads all)",
    "relevance on its own scale: the labelled sets rate helpfulness, utility or summaries",
    "code, tables and mathematics",
    "contradicted claims, which groundedness does not tell from claims that are not found",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Labelled:
    said: list[float]
    label: list[float]
    clusters: list[str]
    failed: int = 0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--limit", type=int, default=1000, help="rows of each set, drawn with a fixed seed")
    parser.add_argument(
        "--out", type=Path, help=f"write the card there ({CARD.name} beside the adapter ships)"
    )
    parser.add_argument("--only", action="append", help="a set's name; may be repeated")
    given = parser.parse_args()
    agreements: list[CardFigure] = []
    speed: dict[str, float] = {}
    for judge, (names, figures) in SETS.items():
        seconds = judged = 0.0
        for name in names:
            there = (given.data / f"{name}.jsonl.gz").is_file()
            if not there or (given.only and name not in given.only):
                continue
            rows = chosen(given.data, name, given.limit)
            started = time.perf_counter()
            found = judge_rows(judge, rows)
            seconds += time.perf_counter() - started
            judged += len(rows)
            agreements += measured(name, judge, found, figures)
            if name == "realsumm":
                agreements += measured(
                    name, "coverage, single facts", asyncio.run(judge_facts(rows)), DECISIONS
                )
        if judged:
            speed[judge] = round(judged / seconds, 1)
    card = EmbeddedCard(
        model=EmbeddedClient().name,
        base="SmolLM2-135M-Instruct with a LoRA adapter, int8",
        licence="Apache-2.0",
        agreements=agreements,
        not_measured=NOT_MEASURED,
        speed=speed,
    )
    if given.out is not None:
        given.out.write_text(
            json.dumps(card.as_json(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )


def chosen(folder: Path, name: str, limit: int) -> list[Row]:
    rows = read_rows(folder, name)
    if name not in MEASURED_ONLY:
        rows = [row for row in rows if row.fold in HELD_BACK]
    random.Random(SEED).shuffle(rows)
    return rows[:limit]


def judge_rows(judge: str, rows: Sequence[Row]) -> Labelled:
    said = {
        judgement.case_id: judgement.exact
        for judgement in adjudge.evaluate(map(shown, rows), judges=[judge], model="embedded", store=None)
    }
    kept = [row for row in rows if said[row.row_id] is not None]
    if judge == "groundedness":
        kept = [row for row in kept if row.source != "faithbench" or row.label in {0.0, 1.0}]
        return Labelled(
            said=[float((said[row.row_id] or 0.0) >= WHOLLY) for row in kept],
            label=[float(row.label >= WHOLLY) for row in kept],
            clusters=[row.question_id for row in kept],
            failed=sum(said[row.row_id] is None for row in rows),
        )
    return Labelled(
        said=[float(said[row.row_id] or 0.0) for row in kept],
        label=[row.label for row in kept],
        clusters=[row.question_id for row in kept],
        failed=len(rows) - len(kept),
    )


def shown(row: Row) -> dict[str, str]:
    """All that a judge may see of a row; the rest gives the answer away."""
    seen = {
        "question": row.question,
        "response": row.response,
        "reference": row.reference,
        "context": row.context,
    }
    optional = {"reference", "context"}
    return {"id": row.row_id, **{name: text for name, text in seen.items() if text or name not in optional}}


async def judge_facts(rows: Iterable[Row]) -> Labelled:
    """One content unit at a time, against the share of people who found it."""
    model = SmallModel.open()
    found = Labelled(said=[], label=[], clusters=[])
    try:
        for row in rows:
            units = facts(row)
            said = await model.states(text=row.response, statements=[text for text, _ in units])
            found.said.extend(said.probabilities)
            found.label.extend(share for _, share in units)
            found.clusters.extend([row.question_id] * len(units))
    finally:
        model.close()
    return found


def measured(name: str, judge: str, found: Labelled, figures: dict[str, Figure]) -> list[CardFigure]:
    said, label = np.array(found.said), np.array(found.label)
    agreements = []
    for measure, figure in figures.items():
        if measure == "kappa" and len(set(label > 0.5)) < 2:
            continue  # nothing but one class: agreement beyond chance has no meaning
        low, high = interval(figure, said, label, found.clusters, seed=SEED)
        agreements.append(
            CardFigure(
                dataset=name,
                judge=judge,
                measure=measure,
                value=round(figure(said, label), 3),
                low=round(low, 3),
                high=round(high, 3),
                rows=len(label),
                questions=len(set(found.clusters)),
                base_rate=round(float((label > 0.5).mean()), 3) if figures is not RANKS else None,
                trained_on=name not in MEASURED_ONLY,
            )
        )
    shown = ", ".join(
        f"{each.measure} {each.value:.3f} [{each.low:.3f}, {each.high:.3f}]" for each in agreements
    )
    print(
        f"{judge} on {name}: {shown}; {len(label)} rows, {len(set(found.clusters))} questions, {found.failed} failed",
        flush=True,
    )
    return agreements


if __name__ == "__main__":
    main()
