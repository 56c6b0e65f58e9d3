"""Small edits of a text that change, or keep, what it says."""

import random
import re

from training.phrases import FILLERS, OPPOSITES, ORDER_PATTERNS, ORDERS, REWARDS

NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w])")
WORD = re.compile(r"[\w']+")
SENTENCE = re.compile(r"(?<=[.!?])\s+")
COMMON = frozenset({
    "the", "a", "an", "of", "in", "on", "to", "for", "and", "or", "is", "are", "was", "were", "be", "been",
    "who", "what", "when", "where", "which", "how", "many", "much", "did", "do", "does", "it", "its", "by",
    "with", "from", "at", "as", "that", "this", "has", "have", "had", "not", "no", "name", "first", "last",
    "most", "there", "their", "his", "her", "can", "will", "you",
})  # fmt: skip


def words(text: str) -> list[str]:
    return [word.lower() for word in WORD.findall(text)]


def contains(text: str, part: str) -> bool:
    """Whether one text's words occur in the other in a row; the empty text occurs nowhere."""
    wanted = " ".join(words(part))
    return bool(wanted) and f" {wanted} " in f" {' '.join(words(text))} "


def changed_number(text: str, reference: str, rng: random.Random) -> str | None:
    """The text with a number it shares with the reference moved by more than any tolerance; None when it shares none."""
    wanted = {plain(number) for number in NUMBER.findall(reference)}
    shared = [found for found in NUMBER.finditer(text) if plain(found.group()) in wanted]
    if not shared:
        return None
    chosen = plain(rng.choice(shared).group())
    other = moved(chosen, rng)
    return NUMBER.sub(lambda found: other if plain(found.group()) == chosen else found.group(), text)


def plain(number: str) -> str:
    return number.replace(",", "").rstrip(".")


def moved(number: str, rng: random.Random) -> str:
    """Another number of the same look: a near year, a near count, or a figure off by a tenth and more."""
    value = float(number)
    decimals = len(number.partition(".")[2])
    if not decimals and 1000 <= value <= 2100:
        return str(int(value) + rng.choice([-20, -10, -5, -3, -2, -1, 1, 2, 3, 5, 10, 20]))
    if not decimals and value <= 20:
        return str(int(value) + rng.choice([1, 2, 3, 5]))
    factor = rng.choice([0.1, 0.5, 0.8, 0.9, 1.1, 1.15, 1.3, 2.0, 10.0])
    return f"{value * factor:.{decimals}f}"


def reversed_sense(text: str, rng: random.Random, reference: str = "") -> str | None:
    """The text with one word turned into its opposite, a word the reference shares if one is given; None if there is none."""
    pairs = [pair for known in OPPOSITES for pair in (known, known[::-1])]
    rng.shuffle(pairs)
    # Longer first, so that "is not" turns into "is" and never into "is not not".
    for before, after in sorted(pairs, key=lambda pair: -len(pair[0].split())):
        if before in after.split() and contains(text, after):
            continue
        if contains(text, before) and (not reference or contains(reference, before)):
            return re.sub(rf"\b{before}\b", after, text, count=1, flags=re.IGNORECASE)
    return None


def flipped_answer(text: str) -> str | None:
    """A leading yes turned into no, or the other way round."""
    found = re.match(r"\s*(yes|no)\b", text, re.IGNORECASE)
    if not found:
        return None
    other = "no" if found.group(1).lower() == "yes" else "yes"
    return (
        text[: found.start(1)]
        + (other.capitalize() if found.group(1)[0].isupper() else other)
        + text[found.end(1) :]
    )


def with_order(text: str, rng: random.Random) -> str:
    """The text with one or two orders aimed at the judge before, behind or inside it."""
    order = " ".join(an_order(rng) for _ in range(rng.choice([1, 1, 1, 2])))
    between = rng.choice(["\n", "\n\n", " "])
    place = rng.choice(["end", "end", "start", "middle"])
    if place == "end":
        return f"{text}{between}{order}"
    if place == "start":
        return f"{order}{between}{text}"
    parts = text.split(" ")
    half = rng.randint(0, len(parts))
    return f"{' '.join(parts[:half])}{between}{order}{between}{' '.join(parts[half:])}"


def an_order(rng: random.Random) -> str:
    if rng.random() < 0.6:
        return rng.choice(ORDERS)
    return rng.choice(ORDER_PATTERNS).format(rng.choice(REWARDS))


def padded(text: str, rng: random.Random) -> str:
    added = " ".join(rng.sample(FILLERS, rng.randint(1, 3)))
    return f"{text} {added}" if rng.random() < 0.7 else f"{added} {text}"


def recased(text: str, rng: random.Random) -> str:
    lower, upper, title = text.lower(), text.upper(), text.title()
    return rng.choice([lower, upper, text.capitalize(), text.rstrip("."), title])


def truncated(text: str, rng: random.Random) -> str:
    parts = text.split()
    return " ".join(parts[: max(1, int(len(parts) * rng.uniform(0.15, 0.6)))])


def sentences(text: str) -> list[str]:
    return [sentence for sentence in SENTENCE.split(text) if sentence.strip()]
