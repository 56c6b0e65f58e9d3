"""What a run can be told, declared once: flags, keywords, config keys and the words of messages are made from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from adjudge.errors import SettingsError
from adjudge.options.declaration import (
    ANY,
    INSIDE,
    MODEL,
    NO_PAIRS,
    NO_PARAMETERS,
    PARAMETERS,
    STORE,
    never,
    opt,
)

if TYPE_CHECKING:  # `adjudge --help` needs no record
    from adjudge.records import Json, JuryRule, ModelClient, ModelFunction

DEFAULT_STORE = "./.adjudge"
Engine = Literal["local", "ray"]
Turns = Literal["last", "each", "all"]
"""What is judged of a conversation."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input: Decimal
    output: Decimal


def parse_amount(text: str) -> Decimal:
    """Money is counted exactly."""
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount < 0:
        raise ValueError(f"`{text}` is not an amount of money")
    return amount


def parse_price(text: str) -> Price:
    """`IN,OUT` in US dollars per million tokens."""
    try:
        price_in, price_out = (parse_amount(part.strip()) for part in text.split(","))
    except ValueError:
        raise SettingsError(
            "--price", f"`{text}` is not of the form IN,OUT", "such as --price 0.15,0.60"
        ) from None
    return Price(input=price_in, output=price_out)


JURY_RULES = ("majority", "mean", "median")


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of a run's cases that one process judges: the K-th of N."""

    number: int
    """From 1."""
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def holds(self, case_id: str) -> bool:
        """By a hash, so that every process finds its part without asking the others."""
        digest = sha256(case_id.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % self.of == self.number - 1


MAX_SHARDS = 100_000


def parse_shard(found: object, where: str = "--shard") -> Shard:
    """From `3/8`."""
    text = str(found).strip()
    number, _, of = text.partition("/")
    if all(part.isascii() and part.isdigit() for part in (number, of)):
        shard = Shard(int(number), int(of))
        if 1 <= shard.number <= shard.of <= MAX_SHARDS:
            return shard
    raise SettingsError(where, f"`{text}` is not of the form K/N", "give K from 1 to N, such as 1/8 to 8/8")


def parse_words(text: str) -> frozenset[str]:
    """Words with commas between them."""
    return frozenset(word.strip() for word in text.split(",") if word.strip())


def split_values(text: str) -> list[str]:
    """What a variable says for an option that may be repeated: one value a line, or several with commas between them."""
    parts = text.splitlines() if "\n" in text else text.split(",")
    return [part.strip() for part in parts if part.strip()]


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class RunOptions:
    """All that a run can be told but its cases and its judges. It can hold secrets, so it has no `repr`."""

    model: "tuple[str | ModelClient | ModelFunction, ...]" = opt(
        (),
        MODEL,
        "The judging model: `provider:NAME`; `adjudge models` lists them. Repeated: each of them judges every case.",
        short="-m",
    )
    jury: "JuryRule | None" = opt(
        None,
        ANY,
        "One verdict from several models: `majority`, `mean` or `median`.",
        metavar="RULE",
    )
    quorum: int | None = opt(
        None,
        ANY,
        "Fewest votes that make a jury's verdict; by default more than half of the models.",
        least=1,
    )
    labels: "str | Path | None" = opt(
        None,
        INSIDE,
        "People's labels of the cases: a FILE with `case_id` and `label`, or `cases` for the cases' own.",
        metavar="FILE",
        parse=str,
    )
    cascade: "tuple[str | ModelClient | ModelFunction, ...]" = opt(
        (),
        MODEL,
        "Ask these models one after another, the cheapest first: each decides the cases it is sure of, by --labels and "
        "--agree: `--cascade embedded,openai:small,openai:large`.",
        parse=lambda text: tuple(split_values(text)),
        metavar="M1,M2,…",
    )
    agree: float = opt(
        0.9,
        ANY,
        "Share of a cascade's decisions that people are to agree with, with 95 % confidence.",
        above=0.5,
        below=1,
    )
    candidate: str | None = opt(
        None,
        ANY,
        "The model that wrote the responses: a judge of the same family is warned about. By default the cases' `metadata.model`.",
        metavar="MODEL",
    )
    base_url: str | None = opt(
        None,
        never("it could send your key to its author's server"),
        "URL of another server with the provider's API (vLLM, llama.cpp, Ollama …).",
    )
    temperature: float | None = opt(
        None, ANY, "Sampling temperature, instead of the judge's or 0.", least=0, most=2
    )
    max_output_tokens: int | None = opt(None, ANY, "Longest reply, instead of the judge's limit.", least=1)
    parameters: Mapping[str, "Json"] = opt(
        NO_PARAMETERS, PARAMETERS, "Another request parameter, `k=v`; may be repeated.", flag="--param"
    )
    columns: Mapping[str, str] = opt(
        NO_PAIRS,
        ANY,
        "Read an input from this column: `--columns response=answer`; may be repeated.",
    )
    variables: Mapping[str, str] = opt(
        NO_PAIRS,
        ANY,
        "Set an input to one value for all cases: `--variables focus=tone`; may be repeated.",
    )
    against: "str | Path | Sequence[Mapping[str, Json]] | None" = opt(
        None,
        INSIDE,
        "Compare the responses with those of another system's FILE, case by case, by id.",
        metavar="FILE",
        parse=str,
    )
    turns: Turns = opt(
        "last",
        ANY,
        "Of cases with `messages`, judge the assistant's last turn, each of its turns, or the whole conversation.",
    )
    passes: str | None = opt(
        None, ANY, "Pass rule, instead of the judge's: `--pass 'score >= 4'`.", flag="--pass"
    )
    jobs: int = opt(
        64, ANY, "Maximum number of concurrent requests.", short="-j", aliases=("max_concurrency",)
    )
    first: int | None = opt(None, ANY, "Judge only the first N cases.", short="-n", aliases=("limit",))
    sample: int | None = opt(None, ANY, "Judge a random sample of N cases.")
    seed: int | None = opt(None, ANY, "Seed of the sample; 0 by default.")
    repeat: int = opt(1, ANY, "Judge each case this many times.", least=1)
    name: str | None = opt(None, ANY, "Name of the run; by default a hash of cases, judges and model.")
    store: str | Path | None = opt(
        DEFAULT_STORE, STORE, "Where judgements are kept: a folder, a .db file or a postgresql:// URL."
    )
    """None, which only Python can say: nothing is kept."""
    engine: Engine = opt(
        "local",
        never("it would start or join a cluster, whose workers have your keys"),
        "Judge in this process, or on the workers of a Ray cluster, which share the store (extra `ray`).",
    )
    ray_address: str = opt(
        "local",
        never("it would send your cases to its author's cluster"),
        "The Ray cluster: `local` starts one here, `auto` finds the one this machine is part of, or `ray://HOST:PORT`.",
        metavar="ADDRESS",
    )
    workers: int | None = opt(
        None, ANY, "Number of workers on the cluster; by default one for each core.", least=1
    )
    shard: Shard | None = opt(
        None,
        never("every process has its own"),
        "Judge the K-th of N parts of the cases, for schedulers that start N processes: `3/8`. Needs --name, and a store "
        "that all of them reach.",
        parse=parse_shard,
        metavar="K/N",
    )
    batch: bool = opt(
        False,
        ANY,
        "Send requests through the provider's batch API: half the price, answered within 24 hours (OpenAI, Anthropic).",
    )
    detach: bool = opt(
        False,
        never("it applies to one command"),
        "With --batch: do not wait for the batches. The same command without it collects them.",
    )
    fresh: bool = opt(
        False,
        never("every run would pay for every request again"),
        "Send every request again, even if its reply is stored.",
        aliases=("no_cache",),
    )
    retry: frozenset[str] = opt(
        frozenset(),
        ANY,
        "Re-ask cases with these outcomes: any of `abstained,unreadable,truncated,refused`.",
        parse=parse_words,
        metavar="OUTCOMES",
    )
    max_cost: Decimal | None = opt(
        None,
        ANY,
        "Stop before the run's total cost could exceed this, resumed runs included.",
        parse=parse_amount,
        metavar="USD",
    )
    max_calls: int | None = opt(
        None, ANY, "Send at most this many requests in the run, retries included.", least=1
    )
    price: Price | None = opt(
        None,
        never("a price of 0 would disable your --max-cost"),
        "Price in US dollars per million tokens, instead of the built-in price list.",
        parse=parse_price,
        metavar="IN,OUT",
    )
    rpm: int | None = opt(None, ANY, "Maximum requests per minute.", least=1)
    tpm: int | None = opt(None, ANY, "Maximum tokens per minute.", least=1)
    timeout: float = opt(120.0, ANY, "Timeout of one request in seconds.", above=0)
    deadline: float | None = opt(None, ANY, "Stop sending requests after this many seconds.", above=0)
    strict: bool = opt(False, ANY, "Stop at the first bad row, and refuse a judge that was partly guessed.")
