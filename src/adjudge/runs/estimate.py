"""What a run would take before it is made: calls, tokens, money and time, with how sure each of them is."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import islice
from typing import NamedTuple

from adjudge.errors import InputError, TemplateError
from adjudge.models import context_tokens, estimate_tokens, request_key
from adjudge.models.clients.first import RequestForm, form_of
from adjudge.models.prices import BATCH_SHARE
from adjudge.options import Price
from adjudge.procedures.case import judge_case
from adjudge.procedures.groundedness import checks_claims, context_windows
from adjudge.procedures.procedure import RequestSettings
from adjudge.procedures.rubric import criteria_of
from adjudge.prompts.fill import fill_inputs
from adjudge.prompts.fit import DoesNotFitError
from adjudge.prompts.render import render_prompt
from adjudge.records import BadRow, Case, Judge, ModelClient, Prompt, Request
from adjudge.runs.given_labels import read_case_labels
from adjudge.runs.plan import Plan
from adjudge.store import RunRecord, Store, planned_judges, planned_models
from adjudge.text import as_text

ASSUMED_REPLY_TOKENS = (60, 250, 900)
"""Fewest, likely and most tokens of a verdict, where no stored reply of the judge says better."""
ASSUMED_SECONDS = (0.7, 2.5, 10.0)
TOKEN_ERROR = Decimal("0.3")
"""Tokens are guessed from bytes: so far off may the guess be, either way."""
LATER_CALLS = Decimal("1.4")
"""A judge with a checklist asks a second time, with the checklist and the response beside what it asked before."""
SAMPLE = 500
"""Stored judgements looked at to learn how long replies are and take."""
KEYS_AT_ONCE = 400


@dataclass(frozen=True, kw_only=True, slots=True)
class Range:
    """Fewest, likely and most."""

    low: float
    likely: float
    high: float

    def __add__(self, other: "Range") -> "Range":
        return Range(low=self.low + other.low, likely=self.likely + other.likely, high=self.high + other.high)


NOTHING = Range(low=0, likely=0, high=0)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplyHistory:
    """How earlier replies to a judge were: tokens and seconds."""

    reply_tokens: Range
    seconds: Range
    from_replies: int
    """0: nothing is known, and the figures are assumptions."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunEstimate:
    cases: int
    judgements: int
    not_asked: int
    """Decided without a call, or not readable as cases."""
    stored: int
    """First calls whose replies are stored already."""
    calls: Range
    input_tokens: Range
    output_tokens: Range
    cost: Range | None
    """US dollars; None where the price is not known."""
    seconds: Range | None
    """None for a run in batches: the provider answers within a day, again for each further step."""
    learned_from: int
    """Stored replies that reply lengths and times were learned from; 0: they are assumed."""


class PricedModel(NamedTuple):
    client: ModelClient
    price: Price | None
    """None: not known."""


@dataclass(slots=True)
class _EstimateSums:
    judgements: int = 0
    not_asked: int = 0
    stored: int = 0
    calls: Range = NOTHING
    input: Range = NOTHING
    output: Range = NOTHING
    seconds: Range = NOTHING
    seen: set[str] = field(default_factory=set)
    """Keys of requests that several judgements share."""


class _Asked(NamedTuple):
    judge: Judge
    row: Case | BadRow
    request: Request
    is_sure: bool
    """False for a later stage of a cascade, which may not be asked: it counts for the most there can be."""


def estimate_run(
    plan: Plan,
    rows: Iterable[Case | BadRow],
    models: Sequence[PricedModel],
    *,
    store: Store | None,
) -> RunEstimate:
    """Render every first request, take off what is stored, and guess the rest from earlier replies or assumptions."""
    learned = {
        (judge.name, client.name): learn(store, judge, client.name)
        for judge in plan.judges
        for client, _ in models
    }
    settings = [_asking(plan, client) for client, _ in models]
    # what no model is asked about is counted with the first of them
    sums = [_EstimateSums() for _ in models]
    # of a run in batches: the first request of each form, which is sent directly
    direct = [_EstimateSums() for _ in models]
    forms: list[set[RequestForm]] = [set() for _ in models]
    cases = 0
    labels = read_case_labels(plan.options.labels) or {}
    chosen = iter(plan.select(rows))
    while block := list(islice(chosen, KEYS_AT_ONCE)):
        cases += len(block)
        for place, (client, _) in enumerate(models):
            judges = [judge for judge in plan.judges if judge.asks_model or place == 0]
            # a later stage of a cascade is asked of labelled cases, and of others only where it has to be
            sure = None if place == 0 or not plan.options.cascade else labels
            asked = list(_first_requests(sums[place], block, plan, judges, sure))
            keys = [request_key(client, each.request) for each in asked]
            stored = set() if store is None else set(store.find_completions(keys))
            for key, each in zip(keys, asked, strict=True):
                if key in stored and not each.is_sure:
                    continue
                form = form_of(each.request)
                if plan.options.batch and key not in stored and form not in forms[place]:
                    forms[place].add(form)
                    known = learned[each.judge.name, client.name]
                    tokens = prompt_tokens(each.request.prompt)
                    _add_call(direct[place], each.request, known, tokens=tokens, is_sure=True)
                _add_judgement(
                    sums[place],
                    key,
                    each.request,
                    learned[each.judge.name, client.name],
                    is_stored=key in stored,
                    later=later_calls(each.judge, each.row, each.request, settings[place]),
                    is_sure=each.is_sure,
                )
    share = BATCH_SHARE if plan.options.batch else Decimal(1)
    costs = [
        None if price is None else _cost(own, price, share) + _cost(first, price, 1 - share)
        for own, first, (_, price) in zip(sums, direct, models, strict=True)
    ]
    priced = [cost for cost in costs if cost is not None]
    calls, seconds = (sum((getattr(own, name) for own in sums), NOTHING) for name in ("calls", "seconds"))
    return RunEstimate(
        cases=cases,
        judgements=sum(own.judgements for own in sums),
        not_asked=sum(own.not_asked for own in sums),
        stored=sum(own.stored for own in sums),
        calls=calls,
        input_tokens=sum((own.input for own in sums), NOTHING),
        output_tokens=sum((own.output for own in sums), NOTHING),
        cost=sum(priced, NOTHING) if len(priced) == len(costs) else None,
        seconds=None if plan.options.batch else _wall_seconds(calls, seconds, plan.options.jobs),
        learned_from=sum(each.from_replies for each in learned.values()),
    )


def _asking(plan: Plan, client: ModelClient) -> RequestSettings:
    """With the size of the model's context where the number of windows depends on it; the list is slow to load."""
    if not any(map(checks_claims, plan.judges)):
        return plan.settings
    return replace(plan.settings, context_tokens=context_tokens(client.name, client.base_url))


def _cost(sums: _EstimateSums, price: Price, share: Decimal) -> Range:
    per_token = (share * price.input / 1_000_000, share * price.output / 1_000_000)
    return Range(
        **{
            end: float(
                Decimal(getattr(sums.input, end)) * per_token[0]
                + Decimal(getattr(sums.output, end)) * per_token[1]
            )
            for end in ("low", "likely", "high")
        }
    )


def _wall_seconds(calls: Range, seconds: Range, jobs: int) -> Range:
    """All calls' seconds over those in flight at once, but no less than one call takes."""
    if not calls.likely:
        return NOTHING
    ends = {}
    for end in ("low", "likely", "high"):
        total, made = getattr(seconds, end), getattr(calls, end)
        ends[end] = max(total / jobs, total / made)
    return Range(**ends)


def _first_requests(
    sums: _EstimateSums,
    block: list[Case | BadRow],
    plan: Plan,
    judges: Sequence[Judge],
    sure: Collection[str] | None,
) -> Iterator[_Asked]:
    """`sure` has the cases of which it is certain that they are asked; None: all."""
    for row in block:
        for judge in judges:
            for repeat in range(plan.options.repeat):
                is_sure = sure is None or row.case_id in sure
                sums.judgements += is_sure
                request = first_request(judge, row, plan, repeat)
                if request is not None:
                    yield _Asked(judge, row, request, is_sure)
                elif is_sure:
                    sums.not_asked += 1


def _add_judgement(
    sums: _EstimateSums,
    key: str,
    request: Request,
    known: ReplyHistory,
    *,
    is_stored: bool,
    later: Sequence[Decimal],
    is_sure: bool,
) -> None:
    if is_stored:
        sums.stored += 1
        return
    if not (request.shared and key in sums.seen):
        sums.seen.add(key)
        _add_call(sums, request, known, tokens=prompt_tokens(request.prompt), is_sure=is_sure)
    for tokens in later:
        _add_call(sums, request, known, tokens=tokens, is_sure=is_sure)


def later_calls(
    judge: Judge, row: Case | BadRow, request: Request, settings: RequestSettings
) -> list[Decimal]:
    """The tokens of what a judgement asks after its first call, a number for each."""
    first = prompt_tokens(request.prompt)
    if checks_claims(judge) and isinstance(row, Case):
        # the claims are not known yet; about as long as the response, which the first call has
        values = dict(fill_inputs(judge.inputs, row, settings.bindings).values)
        empty = {item.name: "" for item in judge.inputs if item.source == "context"}
        beside = prompt_tokens(render_prompt(judge.messages, {**values, **empty, "items": ""}))
        try:
            windows = context_windows(judge, values, settings)
        except DoesNotFitError:
            return []
        answer = Decimal(estimate_tokens(as_text(values.get("response", ""))))
        return [beside + answer + estimate_tokens(window) for window in windows]
    if judge.items is not None:
        # the second call cannot be rendered before the first is answered
        return [first * LATER_CALLS]
    if judge.pair is not None:
        return [first]
    if judge.rubric is None or judge.contract is None or judge.rubric.ask == "together":
        return []
    return [first] * (len(criteria_of(judge.rubric, judge.contract, request.fields)) - 1)


def prompt_tokens(prompt: Prompt) -> Decimal:
    return Decimal(sum(estimate_tokens(message.content) for message in prompt.messages))


def _add_call(
    sums: _EstimateSums, request: Request, known: ReplyHistory, *, tokens: Decimal, is_sure: bool
) -> None:
    most_calls = 3  # a reply that does not validate is asked for again, twice at most
    low, high = float(tokens * (1 - TOKEN_ERROR)), float(tokens * (1 + TOKEN_ERROR))
    limit = request.max_output_tokens or known.reply_tokens.high
    calls = Range(low=1, likely=1, high=most_calls)
    output = Range(
        low=known.reply_tokens.low,
        likely=known.reply_tokens.likely,
        high=min(known.reply_tokens.high, limit) * most_calls,
    )
    seconds = Range(low=known.seconds.low, likely=known.seconds.likely, high=known.seconds.high * most_calls)
    read = Range(low=low, likely=float(tokens), high=high * most_calls)
    for name, amount in (("calls", calls), ("input", read), ("output", output), ("seconds", seconds)):
        added = amount if is_sure else Range(low=0, likely=0, high=amount.high)
        setattr(sums, name, getattr(sums, name) + added)


def first_request(judge: Judge, row: Case | BadRow, plan: Plan, repeat: int) -> Request | None:
    """What a row would be asked first; None where nothing is asked."""
    if isinstance(row, BadRow) or not judge.has_prompt:
        return None
    try:
        filled = fill_inputs(judge.inputs, row, plan.settings.bindings)
        return next(judge_case(judge, row, filled, plan.settings, repeat=repeat))
    except (StopIteration, TemplateError, InputError):
        return None


def learn(store: Store | None, judge: Judge, model: str) -> ReplyHistory:
    """From the latest run of this judge with this model, if there is one."""
    runs = [] if store is None else [run for run in store.runs(counted=False) if _is_of(run, judge, model)]
    tokens: list[float] = []
    seconds: list[float] = []
    if store is not None and runs:
        for judgement in islice(store.judgements(runs[0].run_id), SAMPLE):
            for call in judgement.calls if (judgement.judge, judgement.model) == (judge.name, model) else ():
                if call.completion.usage.output:
                    tokens.append(float(call.completion.usage.output))
                if call.completion.latency_ms:
                    seconds.append(call.completion.latency_ms / 1000)
    return ReplyHistory(
        reply_tokens=_spread(tokens, ASSUMED_REPLY_TOKENS),
        seconds=_spread(seconds, ASSUMED_SECONDS),
        from_replies=len(tokens),
    )


def _spread(values: list[float], assumed: tuple[float, float, float]) -> Range:
    if not values:
        return Range(low=assumed[0], likely=assumed[1], high=assumed[2])
    ordered = sorted(values)
    return Range(
        low=ordered[len(ordered) // 20],
        likely=sum(ordered) / len(ordered),
        high=ordered[min(len(ordered) - 1, len(ordered) * 19 // 20)],
    )


def _is_of(run: RunRecord, judge: Judge, model: str) -> bool:
    named = [name.rpartition("@")[0] for name in planned_judges(run.plan)]
    return model in (each.name for each in planned_models(run.plan)) and judge.name in named
