"""Years, dates and times: what is compared exactly, however it is written."""

from dataclasses import dataclass

from adjudge.patterns import lazy_pattern
from adjudge.scoring.numbers.literals import plain_characters

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sept", "sep"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        1,
    )
    for name in names
}
DAYS_OF_MONTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
FIRST_BARE_YEAR, LAST_BARE_YEAR = 1500, 2100

MONTH = "(?P<month>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\.?"
DAY = r"(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?"
YEAR = r"(?P<year>[0-9]{4})"
ONLY_YEAR = lazy_pattern(r"[0-9]{4}")
WEEKDAY = lazy_pattern(r"^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,? +")
LEAD_IN = lazy_pattern(r"^(?:on|in|since|by|from|until|during|around|circa|the|as of|year|dated?)\b[ :]*")
DATES = tuple(
    lazy_pattern(pattern)
    for pattern in (
        rf"{YEAR}[-/.](?P<month_number>[0-9]{{1,2}})[-/.]{DAY}",
        rf"{MONTH} {DAY}(?:,? {YEAR})?",
        rf"{DAY}(?: of)?[ -]{MONTH}(?:,?[ -]{YEAR})?",
        rf"{MONTH},? {YEAR}",
        rf"{YEAR} {MONTH} {DAY}",
        rf"{YEAR}-(?P<month_number>0[1-9]|1[0-2])",
        rf"(?P<month_number>0?[1-9]|1[0-2])/{YEAR}",
        rf"{YEAR}年(?P<month_number>[0-9]{{1,2}})月{DAY}日",
    )
)
NUMERIC_DATE = lazy_pattern(
    r"(?P<a>[0-9]{1,2})(?P<sign>[-/.])(?P<b>[0-9]{1,2})(?P=sign)(?P<year>[0-9]{4}|[0-9]{2})"
)
ERA_YEAR = lazy_pattern(
    r"(?:(?P<before>ad|ce) )?(?P<year>[0-9]{1,4})(?: ?(?P<after>bce?|ad|ce|b\.c\.e?\.?|a\.d\.))?"
)
FISCAL_YEAR = lazy_pattern(r"(?:fy|fiscal(?: year)?) ?'?(?P<year>[0-9]{4}|[0-9]{2})")
YEARS = lazy_pattern(r"(?P<first>[0-9]{4}) ?(?:-|to|/|through|until) ?(?P<last>[0-9]{4}|[0-9]{2})")
CLOCK = (
    r"(?P<hour>[0-2]?[0-9])(?::(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9])(?:\.[0-9]+)?)?)?"
    r" ?(?P<half>am|pm|a\.m\.?|p\.m\.?)?(?: ?(?P<zone>z|utc|gmt|[a-z]{2,4}t|[+-][0-9]{2}:?[0-9]{2}))?"
)
TIME = lazy_pattern(CLOCK)
TIME_AT_THE_END = lazy_pattern(
    r"\A(?P<date>.*[^\s:])(?:t|,? at |,? )(?P<time>[0-2]?[0-9](?::[0-5][0-9]|(?= ?[ap]\.?m)).*)"
)
BEGINS = lazy_pattern(
    r"[abcdfijmnostuwy]|[0-9]{1,4}(?:[-/:年]|\.[0-9]{1,2}[-/.]|st|nd|rd|th"
    r"| ?(?:[-/b]|to|th|un|ad|ce|a\.d|[ap]\.?m)| (?:of|noon|"
    + "|".join(sorted({name[:3] for name in MONTHS}))
    + "))"
)
"""How every year, date and time begins that is not bare digits. Most quantities do not, which spares them the rest."""
NAMED_TIMES = {"noon": "12:00 pm", "12 noon": "12:00 pm", "midday": "12:00 pm", "midnight": "12:00 am"}

Day = tuple[int | None, int | None, int | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """A point in time as far as it is written down."""

    days: frozenset[Day] = frozenset()
    """Each (year, month, day) it can mean: 1/3/2024 is two; None is not said."""
    seconds: frozenset[int] = frozenset()
    """Each time of day it can mean; empty when none is said."""
    zone: str = ""
    until_year: int | None = None
    bare: bool = False
    """Only four digits: a year unless the other side shows a quantity."""

    @property
    def word(self) -> str:
        if not self.days:
            return "times"
        return "years" if all(month is None for _, month, _ in self.days) else "dates"


def read_moment(text: str, *, year_asked: bool = False) -> Moment | None:
    """The year, date or time that the whole text is; None when it is none. `year_asked`: the question wants a year."""
    plain = plain_characters(text).casefold().strip(" .,;")
    if plain.isascii() and plain.isdigit():
        return read_bare_year(plain, year_asked=year_asked)
    return read_written(plain) if BEGINS.match(plain) else None


def read_bare_year(digits: str, *, year_asked: bool) -> Moment | None:
    if len(digits) == 4 and (year_asked or FIRST_BARE_YEAR <= int(digits) <= LAST_BARE_YEAR):
        return Moment(days=frozenset({(int(digits), None, None)}), bare=not year_asked)
    if year_asked and len(digits) == 3:
        return Moment(days=frozenset({(int(digits), None, None)}))
    return None


def read_written(plain: str) -> Moment | None:
    """The moment that a text in lower case writes out: anything but bare digits."""
    if len(plain) > 80 or (not any(character.isdigit() for character in plain) and plain not in NAMED_TIMES):
        return None
    stripped = plain
    for _ in range(3):
        stripped = WEEKDAY.sub("", LEAD_IN.sub("", stripped))
    led = stripped != plain
    if led and ONLY_YEAR.fullmatch(stripped) and "year" not in plain and int(stripped) > LAST_BARE_YEAR:
        return None
    days = read_days(stripped, led=led)
    if days:
        return Moment(days=days)
    years = YEARS.fullmatch(stripped)
    if years and (span := read_years(years["first"], years["last"])):
        return span
    clock = read_clock(stripped)
    if clock is not None:
        return clock
    both = TIME_AT_THE_END.fullmatch(stripped)
    if both:
        days, clock = (
            read_days(WEEKDAY.sub("", both["date"].strip(" ,")), led=False),
            read_clock(both["time"].strip()),
        )
        if days and clock is not None:
            return Moment(days=days, seconds=clock.seconds, zone=clock.zone)
    return None


def read_years(first: str, last: str) -> Moment | None:
    start, end = int(first), int(last if len(last) == 4 else first[:2] + last)
    if not (FIRST_BARE_YEAR <= start < end <= LAST_BARE_YEAR):
        return None
    return Moment(days=frozenset({(start, None, None)}), until_year=end)


def read_days(text: str, *, led: bool) -> frozenset[Day]:
    for pattern in DATES:
        match = pattern.fullmatch(text)
        if match:
            found = match.groupdict()
            month = MONTHS[found["month"]] if found.get("month") else int(found["month_number"])
            year = int(found["year"]) if found.get("year") else None
            return valid_days((year, month, int(found["day"]) if found.get("day") else None))
    numeric = NUMERIC_DATE.fullmatch(text)
    if numeric and not (numeric["sign"] == "." and len(numeric["year"]) == 2):
        year, a, b = full_year(numeric["year"]), int(numeric["a"]), int(numeric["b"])
        # Points are the continental way: day first. Slashes and hyphens are written both ways.
        return valid_days((year, b, a)) | (
            frozenset() if numeric["sign"] == "." else valid_days((year, a, b))
        )
    fiscal = FISCAL_YEAR.fullmatch(text)
    if fiscal:
        return frozenset({(full_year(fiscal["year"]), None, None)})
    era = ERA_YEAR.fullmatch(text)
    if era and (era["before"] or era["after"] or (led and len(era["year"]) == 4)):
        before_christ = (era["after"] or "").startswith("b")
        return frozenset({(-int(era["year"]) if before_christ else int(era["year"]), None, None)})
    return frozenset()


def full_year(digits: str) -> int:
    if len(digits) == 4:
        return int(digits)
    return int(digits) + (2000 if int(digits) < 70 else 1900)


def valid_days(day: Day) -> frozenset[Day]:
    _, month, of_month = day
    if month is None or not 1 <= month <= 12:
        return frozenset()
    if of_month is not None and not 1 <= of_month <= DAYS_OF_MONTHS[month - 1]:
        return frozenset()
    return frozenset({day})


def read_clock(text: str) -> Moment | None:
    match = TIME.fullmatch(NAMED_TIMES.get(text, text))
    if match is None or not (match["minute"] or match["half"]) or int(match["hour"]) > 24:
        return None
    hour = int(match["hour"])
    rest = 60 * int(match["minute"] or 0) + int(match["second"] or 0)
    half = (match["half"] or "")[:1]
    if half and not 1 <= hour <= 12:
        return None
    if half:
        hours = {hour % 12 + (12 if half == "p" else 0)}
    elif 1 <= hour <= 12 and not match["hour"].startswith("0"):
        hours = {hour % 12, hour % 12 + 12}
    else:
        hours = {hour % 24}
    zone = {"utc": "z", "gmt": "z", "+00:00": "z", "+0000": "z"}.get(match["zone"] or "", match["zone"] or "")
    return Moment(seconds=frozenset(3600 * hour + rest for hour in hours), zone=zone)


def same_moment(expected: Moment, response: Moment) -> bool:
    """Whether the response says what was expected; more detail than expected is no fault, less is."""
    if expected.until_year != response.until_year:
        return False
    if expected.days and not any(covers(wanted, got) for wanted in expected.days for got in response.days):
        return False
    if expected.seconds and not expected.seconds & response.seconds:
        return False
    if not expected.days and not expected.seconds:
        return False
    return not (expected.zone and response.zone and expected.zone != response.zone)


def covers(wanted: Day, got: Day) -> bool:
    return all(part is None or part == other for part, other in zip(wanted, got, strict=True))
