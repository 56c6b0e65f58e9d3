"""What a worker is told: the run that it works for, and the cases that it is to judge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from adjudge.errors import ExplainedError, InputError, StoreError
from adjudge.labels.case_labels import CaseLabels
from adjudge.records import BadRow, Case
from adjudge.runs.identity import ChosenRun
from adjudge.runs.plan import Plan


@dataclass(frozen=True, kw_only=True, slots=True)
class Assignment:
    """It travels, and whoever looks at the cluster may see it, so there is no key and no password in it."""

    chosen: ChosenRun
    plan: Plan


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseBlock:
    """Some cases of a run, in their order."""

    first: int
    """The position of the first judgement of the first of them."""
    rows: Sequence[Case | BadRow]
    labels: Mapping[str, CaseLabels] | None = None
    """People's, by case, where they do not stand in the cases."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerFault:
    """Why a block was not judged to its end, where a person can do something about it."""

    where: str
    problem: str
    hint: str
    of_store: bool

    def error(self) -> ExplainedError:
        """As the worker met it; an exception itself does not travel well."""
        kind = StoreError if self.of_store else InputError
        return kind(self.where, self.problem, self.hint)


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockDone:
    made: int = 0
    skipped: int = 0
    """Judged before, by a worker that died or before the run was interrupted."""
    not_needed: int = 0
    not_asked: int = 0
    spent: Decimal = Decimal(0)
    """In US dollars, as far as known."""
    stopped: str | None = None
    """Why the worker takes no further work, where it does not."""
    fault: WorkerFault | None = None
