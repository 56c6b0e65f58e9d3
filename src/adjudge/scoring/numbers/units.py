"""Units, currencies and scale words: what stands beside a number, and what it multiplies."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType

from adjudge.text import words


@dataclass(frozen=True, kw_only=True, slots=True)
class Unit:
    """A unit of a dimension: base value = written value × factor + offset (an offset only for temperatures)."""

    name: str
    dimension: str
    factor: Fraction
    offset: Fraction = Fraction(0)
    currencies: frozenset[str] = frozenset()
    """The codes that a sign may mean: `$` is any dollar, `US$` is one."""


PREFIXES = {
    "n": ("nano", "1e-9"),
    "μ": ("micro", "1e-6"),
    "m": ("milli", "1e-3"),
    "c": ("centi", "1e-2"),
    "d": ("deci", "1e-1"),
    "h": ("hecto", "1e2"),
    "k": ("kilo", "1e3"),
    "M": ("mega", "1e6"),
    "G": ("giga", "1e9"),
    "T": ("tera", "1e12"),
    "P": ("peta", "1e15"),
}
PREFIXED: tuple[tuple[str, tuple[str, ...], str, str, str], ...] = (
    # symbol, names, dimension, factor to the base unit, prefixes it is used with
    ("m", ("metre", "meter"), "length", "1", "nμmcdk"),
    ("g", ("gram", "gramme"), "mass", "0.001", "nμmk"),
    ("s", ("second", "sec"), "time", "1", "nμm"),
    ("L", ("litre", "liter"), "volume", "0.001", "μmcdh"),
    ("W", ("watt",), "power", "1", "mkMGT"),
    ("Wh", ("watt-hour", "watthour"), "energy", "3600", "kMGT"),
    ("J", ("joule",), "energy", "1", "mkMGT"),
    ("cal", ("calorie",), "energy", "4.184", "k"),
    ("eV", ("electronvolt",), "energy", "1.602176634e-19", "kMGT"),
    ("Hz", ("hertz",), "frequency", "1", "kMGT"),
    ("V", ("volt",), "voltage", "1", "μmkM"),
    ("A", ("ampere", "amp"), "current", "1", "μmk"),
    ("Ω", ("ohm",), "resistance", "1", "mkM"),
    ("N", ("newton",), "force", "1", "mkM"),
    ("Pa", ("pascal",), "pressure", "1", "hkMG"),
    ("B", ("byte",), "data", "8", "kMGTP"),
    ("bit", ("bit",), "data", "1", "kMGTP"),
    ("mol", ("mole",), "amount", "1", "nμm"),
    ("t", ("tonne", "ton"), "mass", "1000", "kMG"),
)
OTHERS: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    # symbol, further names, dimension, factor
    ("mi", ("mile",), "length", "1609.344"),
    ("yd", ("yard",), "length", "0.9144"),
    ("ft", ("foot", "feet"), "length", "0.3048"),
    ("inch", ("inches",), "length", "0.0254"),
    ("nmi", ("nauticalmile",), "length", "1852"),
    ("ly", ("lightyear", "light-year"), "length", "9460730472580800"),
    ("au", ("astronomicalunit",), "length", "149597870700"),
    ("pc", ("parsec",), "length", "3.0856775814913673e16"),
    ("lb", ("lbs", "pound"), "mass", "0.45359237"),
    ("oz", ("ounce",), "mass", "0.028349523125"),
    ("st", ("stone",), "mass", "6.35029318"),
    ("metricton", (), "mass", "1000"),
    ("ct", ("carat",), "mass", "0.0002"),
    ("min", ("minute", "mins"), "time", "60"),
    ("h", ("hour", "hr", "hrs"), "time", "3600"),
    ("d", ("day",), "time", "86400"),
    ("wk", ("week",), "time", "604800"),
    ("mo", ("month", "mos"), "time", "2629800"),
    ("yr", ("year", "yrs"), "time", "31557600"),
    ("decade", (), "time", "315576000"),
    ("century", ("centuries",), "time", "3155760000"),
    ("ha", ("hectare",), "area", "10000"),
    ("acre", (), "area", "4046.8564224"),
    ("gal", ("gallon",), "volume", "0.003785411784"),
    ("qt", ("quart",), "volume", "0.000946352946"),
    ("pt", ("pint",), "volume", "0.000473176473"),
    ("cup", (), "volume", "0.0002365882365"),
    ("floz", ("fluidounce",), "volume", "0.0000295735295625"),
    ("tbsp", ("tablespoon",), "volume", "0.00001478676478125"),
    ("tsp", ("teaspoon",), "volume", "0.00000492892159375"),
    ("bbl", ("barrel",), "volume", "0.158987294928"),
    ("cc", (), "volume", "0.000001"),
    ("m/s", ("mps",), "speed", "1"),
    ("km/h", ("kph", "kmh", "kmph"), "speed", "5/18"),
    ("km/s", (), "speed", "1000"),
    ("mi/h", ("mph",), "speed", "0.44704"),
    ("ft/s", ("fps",), "speed", "0.3048"),
    ("kn", ("knot", "kt"), "speed", "463/900"),
    ("hp", ("horsepower",), "power", "745.69987158227022"),
    ("btu", (), "energy", "1055.05585262"),
    ("bar", (), "pressure", "100000"),
    ("mbar", ("millibar",), "pressure", "100"),
    ("atm", ("atmosphere",), "pressure", "101325"),
    ("psi", (), "pressure", "6894.757293168"),
    ("mmHg", ("torr",), "pressure", "133.322387415"),
    ("rpm", (), "rotation", "1"),
    ("°", ("degree", "deg"), "angle", "1"),
    ("rad", ("radian",), "angle", "57.29577951308232"),
    ("dB", ("decibel",), "level", "1"),
    ("%", ("percent", "pct", "prozent", "percentage"), "share", "0.01"),
    ("pp", ("percentagepoint", "ppt", "ppts", "%-point"), "share", "0.01"),
    ("‰", ("permille", "permil"), "share", "0.001"),
    ("bp", ("basispoint", "bps"), "share", "0.0001"),
    ("ppm", (), "concentration", "1"),
    ("ppb", (), "concentration", "0.001"),
)
TEMPERATURES: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    ("°C", ("celsius", "centigrade", "degreescelsius", "degreecelsius", "degreesc", "degc"), "1", "273.15"),
    ("°F", ("fahrenheit", "degreesfahrenheit", "degreefahrenheit", "degreesf", "degf"), "5/9", "45967/180"),
    ("K", ("kelvin", "kelvins", "°K"), "1", "0"),
)
SQUARED = ("m", "km", "cm", "mm", "ft", "inch", "mi", "yd")
BINARY = (("KiB", 1), ("MiB", 2), ("GiB", 3), ("TiB", 4))
DOLLARS = frozenset({"USD", "AUD", "CAD", "NZD", "SGD", "HKD", "MXN", "TWD", "ARS", "CLP", "COP"})
SIGNS_OF = {
    " ".join(sorted(DOLLARS)): "$ dollar",
    "USD": "us$ u.s.$",
    "AUD": "a$ au$",
    "CAD": "c$ ca$",
    "NZD": "nz$",
    "SGD": "s$",
    "HKD": "hk$",
    "BRL": "r$ real reais",
    "MXN": "mx$",
    "TWD": "nt$",
    "EUR": "€ euro",
    "GBP": "£ pound quid",
    "JPY CNY": "¥",
    "CNY": "元 yuan rmb renminbi",
    "JPY": "円 yen",
    "INR": "₹",
    "INR PKR": "rs rupee",
    "KRW": "₩ won",
    "RUB": "₽ ruble",
    "TRY": "₺",
    "ILS": "₪",
    "VND": "₫",
    "UAH": "₴",
    "NGN": "₦",
    "PHP": "₱",
    "THB": "฿",
    "BTC": "₿ bitcoin",
    "SEK NOK DKK": "kr",
    "CHF": "franc",
    "MXN PHP ARS CLP COP": "peso",
}
"""Codes -> the signs and words that may mean any of them."""
SIGNS: Mapping[str, frozenset[str]] = MappingProxyType(
    {sign: words(codes) for codes, signs in SIGNS_OF.items() for sign in signs.split()}
)
CODES = words(
    """
    USD EUR GBP JPY CNY INR CHF AUD CAD NZD SGD HKD KRW RUB TRY BRL MXN ZAR SEK NOK DKK PLN CZK HUF ILS
    AED SAR THB IDR MYR PHP VND TWD PKR EGP NGN ARS CLP COP UAH BTC ETH
    """
)
HUNDREDTHS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "cent": DOLLARS | {"EUR"},
        "¢": DOLLARS,
        "penny": frozenset({"GBP", "USD"}),
        "pence": frozenset({"GBP"}),
        "p": frozenset({"GBP"}),
    }
)
SCALES: Mapping[str, Fraction] = MappingProxyType(
    {
        **dict.fromkeys(("hundred", "hundreds"), Fraction(100)),
        **dict.fromkeys(("k", "thousand", "thousands", "thsd", "tsd", "mil"), Fraction(10**3)),
        **dict.fromkeys(
            ("m", "mn", "mln", "mio", "mm", "million", "millions", "millionen", "millones"), Fraction(10**6)
        ),
        **dict.fromkeys(
            ("b", "bn", "bln", "billion", "billions", "mrd", "milliard", "milliarden"), Fraction(10**9)
        ),
        **dict.fromkeys(("t", "tn", "trn", "trillion", "trillions"), Fraction(10**12)),
        **dict.fromkeys(("quadrillion", "quadrillions"), Fraction(10**15)),
        **dict.fromkeys(("lakh", "lakhs", "lac", "lacs"), Fraction(10**5)),
        **dict.fromkeys(("crore", "crores", "cr"), Fraction(10**7)),
        **dict.fromkeys(("dozen", "dozens"), Fraction(12)),
        **dict.fromkeys(("万", "萬", "만"), Fraction(10**4)),
        **dict.fromkeys(("亿", "億", "억"), Fraction(10**8)),
    }
)
"""`m`, `mm`, `b`, `t` and `K` may be units too: every reading is tried."""


def all_units() -> Iterator[tuple[str, Unit]]:
    for symbol, names, dimension, factor, prefixes in PREFIXED:
        base = Unit(name=symbol, dimension=dimension, factor=Fraction(factor))
        yield symbol, base
        for name in names:
            yield name, base
        for prefix in prefixes:
            prefix_name, power = PREFIXES[prefix]
            unit = Unit(name=prefix + symbol, dimension=dimension, factor=Fraction(factor) * Fraction(power))
            yield unit.name, unit
            for name in names:
                yield prefix_name + name, unit
    for symbol, names, dimension, factor in OTHERS:
        unit = Unit(name=symbol, dimension=dimension, factor=Fraction(factor))
        for name in (symbol, *names):
            yield name, unit
    for symbol, names, factor, offset in TEMPERATURES:
        unit = Unit(name=symbol, dimension="temperature", factor=Fraction(factor), offset=Fraction(offset))
        for name in (symbol, *names):
            yield name, unit
    for symbol, power_of_1024 in BINARY:
        yield symbol, Unit(name=symbol, dimension="data", factor=Fraction(8 * 1024**power_of_1024))


def table() -> dict[str, Unit]:
    units = dict(all_units())
    for symbol in SQUARED:
        factor = units[symbol].factor
        units[f"{symbol}^2"] = Unit(name=f"{symbol}^2", dimension="area", factor=factor**2)
        units[f"{symbol}^3"] = Unit(name=f"{symbol}^3", dimension="volume", factor=factor**3)
    units["C"], units["F"] = units["°C"], units["°F"]
    units["KB"], units["Kbit"] = units["kB"], units["kbit"]
    for prefix in "kMGT":
        units[f"{prefix}b"] = units[f"{prefix}bit"]
    units["sqm"], units["sqkm"], units["sqft"], units["sqmi"] = (
        units[f"{u}^2"] for u in ("m", "km", "ft", "mi")
    )
    return units


UNITS: Mapping[str, Unit] = MappingProxyType(table())
UNITS_ANY_CASE: Mapping[str, Unit] = MappingProxyType(
    # Where two differ in case alone (mW, MW), the one written first in the tables wins.
    {name.casefold(): unit for name, unit in reversed(list(UNITS.items()))}
)


def money(codes: frozenset[str], name: str, factor: Fraction = Fraction(1)) -> Unit:
    return Unit(name=name, dimension="money", factor=factor, currencies=codes)


@lru_cache(maxsize=1024)
def find_currency(word: str) -> Unit | None:
    folded = word.casefold().rstrip(".")
    for candidate in (folded, folded.removesuffix("s")):
        if candidate in SIGNS:
            return money(SIGNS[candidate], word)
        if candidate in HUNDREDTHS:
            return money(HUNDREDTHS[candidate], word, Fraction(1, 100))
    if word.upper() in CODES and (word.isupper() or word.islower()):
        return money(frozenset({word.upper()}), word.upper())
    return None


@lru_cache(maxsize=1024)
def find_unit(word: str) -> Unit | None:
    """The unit a word names: as written, in any case, or without its plural s."""
    for candidate in (word, word.rstrip(".")):
        if candidate in UNITS:
            return UNITS[candidate]
    folded = word.casefold().rstrip(".")
    if folded in UNITS_ANY_CASE:
        return UNITS_ANY_CASE[folded]
    if len(folded) > 3 and folded.endswith("s"):
        return UNITS_ANY_CASE.get(folded.removesuffix("s"))
    return None


def find_scale(word: str) -> Fraction | None:
    return SCALES.get(word.casefold().rstrip("."))
