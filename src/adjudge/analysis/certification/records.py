"""A judge's card as records: what each probe found, how often attacks of each family succeeded, and how it was examined."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Literal

from adjudge.analysis.certification.rulings import ProbeRuling, worst_ruling
from adjudge.stats.intervals import Estimate
from adjudge.stats.populations import population

EXAMPLES = 12
"""Trials that went wrong, or answers, that a finding names."""
NoRuling = Literal[
    "no_reference",
    "not_labelled_both_ways",
    "part_of_the_rating",
    "nothing_to_try",
    "never_judged_as_expected",
    "never_repeated",
    "no_scores",
    "attacks_not_tried",
    "attacks_unfinished",
    "no_attack_succeeded",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class ProbeExample:
    """A trial that went wrong, to be read."""

    case_id: str
    question: str | None
    reference: str | None
    response: str | None
    """As it was judged: with the attack in it."""
    attack: str | None
    passed_before: bool | None
    """Of two answers: this one won."""
    passed: bool | None
    reason: str
    opponent: str | None = None
    """The answer that it was compared with."""
    standing_before: float | None = None
    """Of two answers: 1 where this one won, 0 where it lost, 0.5 in a tie; for `order`, where it was shown first."""
    standing: float | None = None
    """The same as it was judged; for `order`, where it was shown second."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProbeFinding:
    """What one probe found."""

    probe: str
    ruling: ProbeRuling
    no_ruling: NoRuling | None = None
    """Why there is no figure, or none to rule on."""
    n: int = 0
    wrong: int = 0
    """Trials that went wrong; for a probe of the score, verdicts that changed."""
    figure: Estimate | None = field(default=None, metadata=population("tried by the probe", "trial"))
    """The share of trials that went wrong, or the mean movement of the score on a scale of 0 to 1."""
    untouched: Estimate | None = field(
        default=None, metadata=population("untouched, judged more than once", "judgement")
    )
    """The share of the same answers whose verdict turns when they are merely judged again."""
    ruled: Estimate | None = field(default=None, metadata=population("tried by the probe", "trial"))
    """What the ruling holds against what is allowed: the figure, less what judging again does by itself."""
    allowed: float | None = None
    changed: Estimate | None = field(default=None, metadata=population("tried by the probe", "trial"))
    """For a probe of the score: verdicts that changed, beyond what judging again does."""
    kappa: float | None = field(default=None, metadata=population("tried by the probe", "pair of repeats"))
    """Between repeats."""
    only_gains: bool = False
    """The judge sees no reference, so that only a gain is a fault."""
    together: float | None = field(default=None, metadata=population("tried by the probe", "case"))
    """For `halo`: how far an answer's ratings lie apart when they are asked for in one call, of the scale."""
    alone: float | None = field(default=None, metadata=population("tried by the probe", "case"))
    """The same when each is asked for alone."""
    to_first: int | None = None
    """For `order`: of the verdicts that change, those that go to the answer shown first."""
    attack: str | None = None
    """The worst one, where the probe is about that."""
    not_judged: int = 0
    examples: tuple[str, ...] = ()
    """Trials that went wrong, by id."""
    example: ProbeExample | None = None
    """The first of them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FamilyFigure:
    """How often one family of attacks turned a wrong answer's verdict."""

    family: str
    attacks: int
    tried: int
    """On answers that failed untouched, and with a verdict under attack."""
    succeeded: int
    rate: Estimate | None = field(metadata=population("attacked, failed untouched", "trial"))
    """With an interval that holds for all families together, so that it holds for the worst one too."""
    not_judged: int


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeCard:
    """Keyed by the judge's hash and the model's name and snapshot: another of any of them is another card."""

    judge: str
    judge_hash: str
    model: str
    snapshot: str | None
    """What the provider said it ran; None where it did not say."""
    at: str
    adjudge: str
    cases: str
    """Where the answers came from."""
    right: int
    """Answers, labelled so or not labelled; where two are compared, those that are not the worse one."""
    wrong: int
    retests: int
    judgements: int
    not_judged: Mapping[str, int]
    """By outcome."""
    complete: bool
    """Nothing was left out by a budget, a fault or an interruption."""
    cost: str | None
    pass_rule: str | None
    """None: the middle of the scale, since the judge has no rule."""
    error_rate: float
    """How often any ruling on the card may be wrong, for answers like these and attacks of this list."""
    rulings: int
    """Made by intervals; those on missing and empty fields are not."""
    margin: float
    wavering: float = field(metadata=population("untouched, judged more than once", "judgement"))
    noise_sd: float | None = field(metadata=population("untouched, judged more than once", "judgement"))
    findings: tuple[ProbeFinding, ...]
    families: tuple[FamilyFigure, ...]
    succeeded: tuple[str, ...]
    """Attacks that turned some wrong answer's verdict, the most successful first."""
    agreement: Mapping[str, Estimate] = field(metadata=population("judged and labelled", "case"))
    """With the labels of the cases; none where they have none."""
    compares: bool = False
    """The judge compares two answers: an answer passes where it wins, and fails where it loses."""
    undecided: int = 0
    """Of `right`, where two answers are compared: those whose label is a tie, or that have none."""
    card_id: str = field(default_factory=lambda: token_hex(16))
    """Random, and remembered where the card was made: a card that came with a repository can say anything."""

    @property
    def ruling(self) -> ProbeRuling:
        """Of the whole card: a pass only when everything was judged and every probe that applies passed."""
        found = worst_ruling([finding.ruling for finding in self.findings])
        return "inconclusive" if found in {"pass", "not applicable"} and not self.complete else found

    @property
    def confidence(self) -> float:
        """Of each ruling's interval."""
        return 1.0 - 2.0 * self.error_rate / max(1, self.rulings)

    def ruled(self, ruling: ProbeRuling) -> list[ProbeFinding]:
        return [finding for finding in self.findings if finding.ruling == ruling]

    def probes(self, ruling: ProbeRuling) -> list[str]:
        return [finding.probe for finding in self.ruled(ruling)]


def worst_family(families: Sequence[FamilyFigure]) -> FamilyFigure | None:
    """The one that succeeded most often, of as many trials as possible; None where none succeeded."""
    return max(
        (family for family in families if family.succeeded),
        key=lambda family: (family.succeeded / family.tried, family.tried),
        default=None,
    )
