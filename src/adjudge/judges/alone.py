"""One of a judge's ratings asked for alone, to see what the others do to it."""

from msgspec.structs import replace

from adjudge.judges.asking import ask_for
from adjudge.judges.identity import judge_hash
from adjudge.judges.reading.names import is_reason
from adjudge.records import FieldScore, Judge, Rating
from adjudge.schemas import object_schema, properties_of


def rating_alone(judge: Judge, rating: Rating) -> Judge:
    """The same prompt, with a last message that asks for this rating and the reason only."""
    assert judge.contract is not None
    properties = properties_of(judge.contract.schema)
    fields = {name: schema for name, schema in properties.items() if name == rating.name or is_reason(name)}
    alone = replace(
        judge,
        name=f"{judge.name}.{rating.name}",
        contract=replace(
            judge.contract, schema=object_schema(fields), needs=(rating.name,), form="json", labels={}
        ),
        score=FieldScore(field=rating.name),
        scale=rating.scale,
        better=rating.better,
        passes=None,
        ratings=(),
        format_message=ask_for(fields),
        contract_template=None,
    )
    return replace(alone, hash=judge_hash(alone))
