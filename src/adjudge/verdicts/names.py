"""Keys as models write them -> the properties of a contract."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from adjudge.identity_cache import cache_by_identity
from adjudge.records import Contract, Json
from adjudge.schemas import properties_of
from adjudge.text import words
from adjudge.verdicts.decode import Twice

SEPARATORS = re.compile(r"[\W_]+")
WRAPPERS = words(
    """
    verdict result results evaluation output response answer judgement judgment assessment grade data json
    arguments parameters input args final finalanswer finalverdict
    """
)
"""Keys under which a verdict stands one level down although other keys (`name`, `type`, `id`) stand beside it."""


def plain_key(key: str) -> str:
    """`Final Score`, `finalScore`, `final-score` and `final_score` are one key."""
    return _plain_key(key[:200])


@lru_cache(maxsize=1024)
def _plain_key(key: str) -> str:
    """Kept, because every reply to a judge has the same few."""
    return SEPARATORS.sub("", key.casefold())


def labels_of(contract: Contract, name: str) -> tuple[str, ...]:
    """The words a property stands under in text; its own name, spelt out, when the contract gives none."""
    own = name.replace("_", " ").replace("-", " ").strip().casefold()
    declared = tuple(label.casefold() for label in contract.labels.get(name, ()))
    return declared if own in declared else (*declared, own)


@cache_by_identity
def properties(contract: Contract) -> Mapping[str, Mapping[str, Json]]:
    """Property -> its schema, in order; a schema that is not an object allows anything."""
    fields = properties_of(contract.schema)
    return {name: schema if isinstance(schema, Mapping) else {} for name, schema in fields.items()}


class FieldValues(NamedTuple):
    values: dict[str, Json]
    """Property -> what was given."""
    extra: list[str]
    twice: set[str]
    """Properties that were given more than once, not alike."""


@dataclass(frozen=True, slots=True)
class FieldNames:
    """Finds a contract's properties in objects."""

    own: Mapping[str, str]
    """Plain key -> property."""
    aliases: Mapping[str, str]
    """Plain label -> property, where no property has that name."""
    nested: frozenset[str]
    """Properties that are objects themselves."""

    @staticmethod
    @cache_by_identity
    def of(contract: Contract) -> "FieldNames":
        schemas = properties(contract)
        own = {plain_key(name): name for name in schemas}
        aliases: dict[str, str] = {}
        for name in schemas:
            for label in labels_of(contract, name):
                if plain_key(label) and plain_key(label) not in own:
                    aliases.setdefault(plain_key(label), name)
        nested = frozenset(
            name
            for name, schema in schemas.items()
            if schema.get("type") == "object" or "properties" in schema
        )
        return FieldNames(own=own, aliases=aliases, nested=nested)

    def property_of(self, key: str) -> str | None:
        plain = plain_key(key)
        return self.own.get(plain) or self.aliases.get(plain)

    def any_in(self, keys: Iterable[str]) -> bool:
        return any(self.property_of(key) is not None for key in keys)

    def pick(self, found: Mapping[str, Json]) -> FieldValues:
        """Sort an object's keys; a key that is a property's own name goes before one of its labels."""
        values: dict[str, Json] = {}
        extra: list[str] = []
        twice_keys = found.keys_twice if isinstance(found, Twice) else frozenset()
        twice: set[str] = set()
        for key, value in found.items():
            name = self.own.get(plain_key(key))
            if name is None:
                continue
            if key in twice_keys or (name in values and values[name] != value):
                twice.add(name)
            if name not in values or key == name:
                values[name] = value
        for key, value in found.items():
            if self.own.get(plain_key(key)) is not None:
                continue
            alias = self.aliases.get(plain_key(key))
            if alias is not None and alias not in values:
                values[alias] = value
                if key in twice_keys:
                    twice.add(alias)
            else:
                extra.append(key)
        return FieldValues(values, extra, twice)

    def unwrap(self, found: Mapping[str, Json]) -> Mapping[str, Json] | None:
        """The object that holds the contract's fields: this one, or the one that it wraps; else None."""
        held = [key for key in found if self.property_of(key) is not None]
        if held:
            inner = found[held[0]]
            if len(found) == 1 and isinstance(inner, dict) and self.property_of(held[0]) not in self.nested:
                return inner if self.any_in(inner) else found
            return found
        inside = [
            (key, value) for key, value in found.items() if isinstance(value, dict) and self.any_in(value)
        ]
        if len(inside) != 1:
            return None
        key, wrapped = inside[0]
        return wrapped if len(found) == 1 or plain_key(key) in WRAPPERS else None
