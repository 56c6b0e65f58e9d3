"""Memory does not grow with the number of rows, but for their ids."""

import gzip
import json
import tracemalloc

import pytest

from adjudge.dataset import read_cases

ROWS = 1_000
"""Few and long: tracing makes every allocation dear, and it is bytes that are counted."""
TEXT = "An answer of some length that says nothing much. " * 425


def jsonl():
    for number in range(ROWS):
        yield json.dumps({"question": f"question {number}", "response": f"{number} {TEXT}"}) + "\n"


def array():
    yield "["
    for number, line in enumerate(jsonl()):
        yield ("," if number else "") + line
    yield "]"


def wrapped():
    yield '{"made": "today", "rows": '
    yield from array()
    yield "}"


def table():
    yield "question,response\n"
    for number in range(ROWS):
        yield f'question {number},"{number} {TEXT}"\n'


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("c.jsonl", jsonl),
        ("c.json", array),
        ("wrapped.json", wrapped),
        ("c.csv", table),
        ("c.jsonl.gz", jsonl),
        ("c.json.gz", wrapped),
    ],
)
def test_reading_holds_a_small_part_of_the_file(tmp_path, name, lines):
    path = tmp_path / name
    size = 0
    with gzip.open(path, "wb", compresslevel=1) if name.endswith(".gz") else path.open("wb") as file:
        for line in lines():
            size += file.write(line.encode())
    assert size > 20_000_000
    tracemalloc.start()
    try:
        count = sum(1 for _ in read_cases(path))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == ROWS
    assert peak < size / 4


def test_an_id_costs_less_than_200_bytes(tmp_path):
    many = 5 * ROWS

    def rows():
        for number in range(many):
            yield {"id": f"{number}-" + "x" * 500}

    tracemalloc.start()
    try:
        cases = read_cases(rows())
        first = next(cases)
        before = tracemalloc.get_traced_memory()[0]
        last = first
        for count, last in enumerate(cases, start=1):  # noqa: B007  # used below
            if count == many - 1:
                after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert last.case_id.startswith(f"{many - 1}-")
    assert (after - before) / many < 200
