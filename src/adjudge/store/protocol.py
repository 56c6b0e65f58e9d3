"""The Protocol of a store: where judgements, the calls behind them and their runs are kept."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from adjudge.rates import FlowLimit, FlowWish, PaceDraw
from adjudge.records import Case, Json, Judgement, LabelDraw
from adjudge.store.records import (
    BatchRecord,
    Entry,
    JudgementKey,
    JudgementLine,
    KeptLabel,
    ListedJudgement,
    Process,
    RunMark,
    RunRecord,
    ShardRecord,
    Spending,
    StoredCompletion,
    Write,
)
from adjudge.store.spending import SpendingDraw, SpendingLimit
from adjudge.store.sql import RunLock


class Store(Protocol):
    """Usable from several threads at once. Everything raises `StoreError` when the store is in trouble."""

    @property
    def where(self) -> str:
        """As shown to people: without a password."""

    @property
    def id(self) -> str | None:
        """Random, made with the store; None for a server's."""

    @property
    def read_only(self) -> bool:
        """It can be read and nothing can be kept in it."""

    @property
    def trusted(self) -> bool:
        """Made here, or trusted since: only then may a run take its answers from it."""

    def trust(self) -> None:
        """From now on, for this user."""

    def write(self, batch: Sequence[Write]) -> None:
        """All or nothing, and durable on return. A judgement or completion that is there already stays as it is."""

    def find_completions(self, keys: Sequence[str]) -> dict[str, StoredCompletion]:
        """The latest version under each key that has one."""

    def find_judgements(self, reuse_keys: Sequence[str]) -> dict[str, Judgement]:
        """The latest judgement made under each key, in whatever run. Its calls have `from_store`, `key` and `version`
        set and carry no texts.
        """

    def runs(self, *, counted: bool = True) -> list[RunRecord]:
        """The latest first. Without `counted` it is not told how many judgements each has, which takes a look at all
        of them where a run is under way or was killed.
        """

    def find_run(self, reference: str) -> RunRecord | None:
        """By name, by id or the start of one, or `last`; an `InputError` when the start fits several."""

    def done_among(self, run_id: str, case_ids: Sequence[str]) -> dict[JudgementKey, int]:
        """Every judgement of these cases of the run -> its position."""

    def judgements(self, run_id: str, *, with_calls: bool = False, first: int = 0) -> Iterator[Judgement]:
        """In the order of the cases, from the position `first` on. Calls always carry usage, cost, time and notes;
        `with_calls` adds prompts, replies and keys.
        """

    def judgements_between(self, run_id: str, first: int, until: int) -> list[tuple[int, Judgement]]:
        """Some of those whose position is `first` or later and before `until`, in order; none when there are none."""

    def judgement(
        self,
        run_id: str,
        case_id: str,
        judge: str | None = None,
        model: str | None = None,
        repeat: int | None = None,
    ) -> list[Judgement]:
        """Those of one case, whole."""

    def case(self, run_id: str, case_id: str) -> Case | None:
        """None for a row that could not be read as a case, too."""

    def same_case(self, case_id: str, *, most_runs: int = 400) -> list[JudgementLine]:
        """Every judgement of a case of this id in the latest runs: the latest run first, in each as they were made."""

    def judgements_after(self, run_id: str, number: int) -> Iterator[tuple[int, Judgement]]:
        """(number, judgement) of those with a higher number, in the order of their numbers."""

    def listed(self, run_id: str, after: int = 0, *, with_cases: bool = False) -> list[ListedJudgement]:
        """The next judgements of a run after that number, a page of them; none when there are no more yet."""

    def entries_at(self, run_id: str, numbers: Sequence[int]) -> list[Entry]:
        """Those of a run with these numbers, in this order, each with its case; one that is gone is left out."""

    def entries_of(self, run_id: str, case_ids: Sequence[str]) -> dict[str, list[Entry]]:
        """By case, as they were made, in a few queries for all; calls as in `judgements`."""

    def case_ids_from(self, run_id: str, prefix: str) -> list[str]:
        """Ids of the run's cases that begin so, at most a few."""

    def share_scored_case(self, run_id: str, other_id: str) -> bool:
        """Whether a judge of the same name scored a case of the same id in both runs."""

    def score_same_cases(self, run_id: str, other_id: str, *, judge: str, model: str) -> bool:
        """Whether the judge scored the same cases in both, each as often: their means then differ by what changed."""

    def failed(self, run_id: str) -> Iterator[JudgementKey]:
        """The judgements that did not pass, in the order of the cases; no body is read."""

    def judgements_at(self, run_id: str, numbers: Sequence[int]) -> list[Judgement]:
        """The same without the cases."""

    def mark_until(self, run_id: str, number: int) -> RunMark:
        """Of the judgements up to that number, as they are now; a database may give a number again."""

    def latest_times(self, run_id: str, most: int) -> list[datetime]:
        """When the latest judgements were made, the newest first."""

    def judge_text(self, judge_hash: str) -> tuple[str, str] | None:
        """(name, the judge file as it was)."""

    def judge_settings(self, judge_hash: str) -> Mapping[str, Json] | None:
        """The judge as it was used, with what was said beside its file (`--pass`), by the names of `Judge`."""

    def lock_run(self, run_id: str, shard: int | None = None) -> RunLock | None:
        """The right to judge or remove this run, or to judge a part of it, which need not be there yet. None when
        another process has it.
        """

    def shards(self, run_id: str) -> list[ShardRecord]:
        """The parts of a run that were begun, where it is judged in parts."""

    def draw(self, run_id: str, least: Spending, most: Spending, limit: SpendingLimit) -> SpendingDraw:
        """A portion of what the run may still spend, in one transaction; what is not limited is given as `least` says."""

    def draw_pace(self, process: Process, wish: FlowWish, limit: FlowLimit) -> PaceDraw:
        """As many of the requests as may go now over all processes of the run, in one transaction; with what the
        others have told since this one last asked.
        """

    def spending(self, run_id: str) -> Spending:
        """What the run has spent, with what its processes hold, or held when they died."""

    def keep_batch(self, batch: BatchRecord) -> None:
        """Durably, before it is sent."""

    def batch_submitted(self, batch_id: str, provider_id: str) -> None:
        """From now on it is known by that id; `CloseBatch` ends it."""

    def batches_under_way(self, run_id: str, model: str) -> list[BatchRecord]:
        """Those that are not collected, the oldest first."""

    def displace(self, run_id: str) -> None:
        """Put all judgements of a run behind those that are placed from now on."""

    def remove_judgements(
        self, run_id: str, outcomes: Collection[str], *, of_case: Callable[[str], bool] | None = None
    ) -> int:
        """Those of a run that came out so, because it is about to judge them again; of these cases only."""

    def remove_computed(
        self,
        run_id: str,
        model: str,
        outcomes: Collection[str] | None,
        *,
        of_case: Callable[[str], bool] | None = None,
    ) -> int:
        """A jury's judgements, by its name: those with a vote that came out so, because it is about to be judged again;
        None: all of them.
        """

    def remove_run(self, run_id: str) -> int:
        """How many judgements went. Completions stay, they were paid for, and so does what people said."""

    def keep_labels(self, run_id: str, labels: Sequence[KeptLabel]) -> int:
        """How many were new. What an annotator said of a case before is replaced; a case that is not in the run is
        passed over.
        """

    def labels(self, run_id: str, judge: str, *, seen_verdict: bool = False) -> list[KeptLabel]:
        """What people said of this run's cases as they stand, in whatever run they said it: blind, or after seeing the
        judge's verdict.
        """

    def case_labels(self, run_id: str, case_id: str, judge: str) -> list[KeptLabel]:
        """What people said of one case, blind labels first."""

    def labels_mark(self, judge: str) -> str:
        """Another one whenever what people said under this judge's name has changed."""

    def remove_labels(
        self,
        run_id: str,
        judge: str,
        *,
        annotator: str | None = None,
        case_id: str | None = None,
        seen_verdict: bool | None = None,
    ) -> int:
        """Those that `labels` gives, of one annotator, of one case, blind or not, or of all; how many went."""

    def keep_draw(self, draw: LabelDraw) -> bool:
        """Whether it was kept; False when a draw of its number is there already."""

    def draws(self, run_id: str, judge: str) -> list[LabelDraw]:
        """In the order in which they were made."""

    def vacuum(self) -> tuple[int, int]:
        """Drop texts that nothing refers to and give the space back; bytes before and after."""

    def check(self) -> list[str]:
        """Problems found, as sentences; empty when all is well."""

    def close(self) -> None: ...
