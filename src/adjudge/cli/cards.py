"""Whether a run's judges are certified: one line of each card, or that there is none, and the gate on it."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

from adjudge.analysis.certification.document import card_line, certify_command
from adjudge.analysis.certification.records import JudgeCard
from adjudge.analysis.certification.shelf import find_card, shelf_of
from adjudge.cli.console import print_message
from adjudge.cli.main import EXIT_GATE_FAILED
from adjudge.cli.options import CardOptions
from adjudge.documents.document import Command, Fact, Quote, Text, join, spans
from adjudge.errors import InputError
from adjudge.records import CombineScore, Judge, Judgement
from adjudge.store.trust import TRUST_VARIABLE, is_known


def _certifiable(judges: Iterable[Judge], named: Iterable[str]) -> Iterator[tuple[Judge, str]]:
    """Those that ask a model; of a combination its parts. What code decides cannot be talked into anything."""
    for judge, name in zip(judges, named, strict=True):
        if judge.has_prompt:
            yield judge, name
        elif isinstance(judge.score, CombineScore):
            parts = tuple(judge.score.parts.values())
            yield from _certifiable(parts, [part.name for part in parts])


class Cards:
    def __init__(
        self,
        judges: Sequence[Judge],
        store: str,
        named: Sequence[str],
        options: CardOptions,
    ) -> None:
        """`named` is what the person called the judges, for the command they could type."""
        self._allow_inconclusive = options.allow_inconclusive
        self._judges = list(_certifiable(judges, named))
        self._shelf = shelf_of(store)
        self._required = options.require_card
        self._models: tuple[str, ...] = ()
        self._cards: dict[tuple[str, str], JudgeCard] = {}
        """By judge and model."""
        self._other_snapshots: dict[tuple[str, str], str] = {}

    def announce(self, models: Sequence[str]) -> None:
        """Before anything is asked: a required card that is not there ends the run here."""
        self._models = tuple(models)
        for (judge, named), model in itertools.product(self._judges, models):
            card = find_card(self._shelf, judge_hash=judge.hash, model=model)
            known = f"{judge.name}@{judge.hash} with {model}"
            if card is not None:
                trusted = is_known(card.card_id)
                if self._required and not trusted:
                    raise InputError(
                        "--require-card",
                        f"the card of {known} in {self._shelf} was not made here",
                        f"make one: `{certify_command(named, model)}`; or set {TRUST_VARIABLE}={card.card_id}, where it "
                        "comes from a cache of yours",
                    )
                self._cards[judge.name, model] = card
                print_message(
                    f"{self._name(judge.name, model)}: {card_line(card)}{'' if trusted else ' (a card that was not made here)'}"
                )
            elif self._required:
                raise InputError(
                    "--require-card",
                    f"{known} is not certified: there is no card in {self._shelf}",
                    f"run `{certify_command(named, model)}` to test it against attacks",
                )

    def _name(self, judge: str, model: str) -> str:
        return f"{judge} with {model}" if len(self._models) > 1 else judge

    def facts(self) -> tuple[Fact, ...]:
        """For the report: whether each judge is certified with each model."""
        several = len(self._judges) * len(self._models) > 1
        facts = [
            Fact(
                kind="certified",
                label="Judge",
                text=join(": ", [Quote(self._name(*key) if several else ""), card_line(card)]),
            )
            for key, card in self._cards.items()
        ]
        missing = [
            (named, model)
            for judge, named in self._judges
            for model in self._models
            if (judge.name, model) not in self._cards
        ]
        if missing:
            listed = [Quote(self._name(*each)) for each in missing]
            names: Text = (*spans(join(", ", listed)), " ") if several else ""
            facts.append(Fact(kind="certified", label="Judge", text=(*spans(names), "not certified")))
            command = Command(certify_command(*missing[0]))
            facts.append(Fact(kind="certify", text=("to test it against attacks: ", command), detail=True))
        return tuple(facts)

    def receive(self, judgement: Judgement) -> None:
        """Whether the model is still the one the card is about, as far as the provider says."""
        key = (judgement.judge, judgement.model)
        card = self._cards.get(key)
        seen = judgement.model_snapshot
        if card is not None and card.snapshot is not None and seen is not None and seen != card.snapshot:
            self._other_snapshots[key] = seen

    def judge(self, print_message: Callable[[str], None]) -> int:
        """The exit code where a card is required: 1 when one has a probe that did not pass, or is about another snapshot."""
        for key, seen in self._other_snapshots.items():
            print_message(
                f"{self._name(*key)}: its card is about {self._cards[key].snapshot}, the model that answered is {seen}"
            )
        if not self._required:
            return 0
        code = EXIT_GATE_FAILED if self._other_snapshots else 0
        for key, card in self._cards.items():
            name = self._name(*key)
            failed = card.probes("fail")
            if failed:
                print_message(f"gate failed: {name}: its card has failed probes: {', '.join(failed)}")
                code = EXIT_GATE_FAILED
            unsure = card.probes("inconclusive")
            if unsure and not self._allow_inconclusive:
                print_message(
                    f"gate failed: {name}: its card is inconclusive on: {', '.join(unsure)}; certify it with more "
                    "--cases, or give --allow-inconclusive"
                )
                code = EXIT_GATE_FAILED
        return code
