"""The embedded judge's card: how far it agrees with people, set by set, with intervals; shipped with the weights."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

CARD = Path(__file__).with_name("card.json")


@dataclass(frozen=True, kw_only=True, slots=True)
class CardFigure:
    """One figure on one labelled set."""

    dataset: str
    judge: str
    measure: str
    """`accuracy`, `kappa`, `spearman`, `pearson` …"""
    value: float
    low: float
    high: float
    rows: int
    questions: int
    base_rate: float | None = None
    """The share of rows that people marked right, where that is what was asked."""
    trained_on: bool = True
    """Whether other questions of the same set were among the training rows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbeddedCard:
    model: str
    base: str
    licence: str
    agreements: Sequence[CardFigure]
    not_measured: Sequence[str]
    speed: Mapping[str, float]
    """Judgements a second on two cores, by judge."""

    def for_judge(self, judge: str) -> list[CardFigure]:
        return [each for each in self.agreements if each.judge == judge]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def as_lines(self) -> list[str]:
        """For a terminal: a line for each set, the figures of one set side by side."""
        lines = [f"{self.base}, {self.licence}"]
        lines += [f"{judge}: {self.in_words(judge)}" for judge in self.judges()]
        if self.speed:
            rates = ", ".join(f"{judge} {rate:.0f}/s" for judge, rate in self.speed.items())
            lines.append(f"speed on two cores: {rates}")
        lines += [f"not measured: {what}" for what in self.not_measured]
        return lines

    def judges(self) -> list[str]:
        return list(dict.fromkeys(each.judge for each in self.agreements))

    def in_words(self, judge: str) -> str:
        """`evouna_nq (73 % right) accuracy .93 [.92, .94], κ .82 [.79, .84]; …`, sets it was never trained on marked."""
        by_set: dict[str, list[CardFigure]] = {}
        for each in self.for_judge(judge):
            by_set.setdefault(each.dataset, []).append(each)
        return "; ".join(
            f"{described(figures[0])} {', '.join(map(valued, figures))}" for figures in by_set.values()
        )


SYMBOLS = {"kappa": "κ"}


def described(agreement: CardFigure) -> str:
    """`evouna_nq (73 % right)`, with what a reader should know of the set."""
    facts = [] if agreement.base_rate is None else [f"{100 * agreement.base_rate:.0f} % right"]
    facts += [] if agreement.trained_on else ["never trained on"]
    return f"{agreement.dataset} ({', '.join(facts)})" if facts else agreement.dataset


def valued(agreement: CardFigure) -> str:
    measure = SYMBOLS.get(agreement.measure, agreement.measure)
    return f"{measure} {show_agreement(agreement.value)} [{show_agreement(agreement.low)}, {show_agreement(agreement.high)}]"


def show_agreement(value: float) -> str:
    """`.93`: agreement is written without its zero."""
    text = f"{value:.2f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


@cache
def read_card(path: Path = CARD) -> EmbeddedCard:
    stored = json.loads(path.read_text(encoding="utf-8"))
    return EmbeddedCard(**{**stored, "agreements": [CardFigure(**each) for each in stored["agreements"]]})
