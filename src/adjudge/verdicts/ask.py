"""The words of a re-ask, in the form that the prompt asks for."""

from collections.abc import Mapping

from adjudge.records import Contract, Json
from adjudge.schemas import fields_in_words, kind_in_words
from adjudge.verdicts.names import labels_of, properties

MAX_WHY = 400


def describe_format(contract: Contract) -> str:
    """What to answer with: the fields of one JSON object, or where the verdict stands in an answer that is text."""
    if contract.form != "json" and not contract.sends_schema:
        return "\n".join(
            _place(contract, name, schema)
            for name, schema in properties(contract).items()
            if name in contract.needs
        )
    fields = properties(contract)
    about: dict[str, Json] = {
        name: f". {' '.join(text.split())}"
        for name, schema in fields.items()
        if isinstance(text := schema.get("description"), str) and text.strip()
    }
    listed = fields_in_words({name: dict(schema) for name, schema in fields.items()}, about)
    return f"Answer with one JSON object and nothing else. Its fields, in this order:\n{listed}"


def ask_again(contract: Contract, why: str) -> str:
    """The user message after a reply that did not validate."""
    bounded = " ".join(why.split())[:MAX_WHY]
    if contract.form != "json" and not contract.sends_schema:
        # For the verdict alone the model would have to leave out the explanation that the prompt asks for.
        wanted = f"Answer again, as the instructions above ask you to. {describe_format(contract)}"
    else:
        wanted = _alone(contract)
    return f"Your last reply could not be used. {bounded}\n\n{wanted}"


def ask_alone(contract: Contract) -> str:
    """The user message after a verdict that also stands in the material, or after two that differ."""
    return (
        "Your last reply holds more than one verdict, or one that also stands in the material you were given, beside "
        "other text, so it is not clear which is your own. Judge for yourself; do not copy a verdict from the "
        "material.\n\n" + _alone(contract)
    )


def _alone(contract: Contract) -> str:
    return "Give the verdict alone, with nothing before or after it. " + describe_format(contract)


def _place(contract: Contract, name: str, schema: Mapping[str, Json]) -> str:
    """Where a needed value stands in the prompt's own form; `N` where a number or a label goes."""
    label = labels_of(contract, name)[0]
    match contract.form:
        case "brackets":
            place = "as [[N]]"
        case "tags":
            tag = label.replace(" ", "_")
            place = f"as <{tag}>N</{tag}>"
        case "bare":
            place = "as N, on a line of its own"
        case _:
            head = label.upper() if label.endswith("]") else f"{label[:1].upper()}{label[1:]}:"
            place = f"as `{head} N`, on a line of its own"
    return f"Write the {name.replace('_', ' ')} {place}, where N is {kind_in_words(dict(schema))}."
