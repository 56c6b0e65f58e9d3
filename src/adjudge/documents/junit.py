"""Result rows as JUnit XML, for build services: a suite for each judge, a testcase for each judgement."""

import re
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from typing import BinaryIO
from xml.sax.saxutils import escape, quoteattr

from adjudge.documents.sinks import Sink
from adjudge.records import Json
from adjudge.text import shorten, without_controls

MAX_TEXT_CHARS = 4_000
_HELD_BYTES = 1_000_000
_CHUNK = 1 << 16
# What XML 1.0 has no way to write, even escaped, beside the controls.
_NOT_XML = re.compile("[\ud800-\udfff\ufffe\uffff]")


@dataclass(slots=True)
class _Suite:
    """One judge's testcases, on disk when they are many: their number stands before them in the file."""

    cases: BinaryIO
    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


class JunitRows:
    """Takes rows one at a time and writes the file when it is closed."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._suites: dict[str, _Suite] = {}
        self.partial: str | None = None
        """Said first, as a test that could not be run."""

    def write(self, row: dict[str, Json]) -> None:
        name = f"{row['judge']}@{row['judge_hash']} {row['model']}"
        suite = self._suites.get(name)
        if suite is None:
            spool = tempfile.SpooledTemporaryFile(max_size=_HELD_BYTES)  # noqa: SIM115 - open until the run ends
            suite = self._suites[name] = _Suite(cases=spool)  # type: ignore[arg-type]  # a BinaryIO but by name
        seconds = row["latency_ms"] / 1000 if isinstance(row["latency_ms"], int | float) else 0.0
        verdict, text = _verdict(row)
        suite.counts["tests"] += 1
        suite.counts[verdict] += 1
        suite.seconds += seconds
        suite.cases.write(
            f"<testcase classname={_attribute(row['judge'])} name={_attribute(_name(row))} "
            f'time="{seconds:.3f}">{text}</testcase>\n'.encode()
        )

    def close(self) -> None:
        counts: Counter[str] = Counter()
        for suite in self._suites.values():
            counts += suite.counts
        partial = b""
        if self.partial is not None:
            counts += Counter(tests=1, errors=1)
            name = _attribute(self.partial)
            partial = (
                f'<testsuite name={name} tests="1" failures="0" errors="1"><testcase classname="run" name={name}>'
                f'<error type="partial" message={name}/></testcase></testsuite>\n'
            ).encode()
        self._sink.append(
            f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="adjudge" {_counts(counts)}>\n'.encode()
        )
        if partial:
            self._sink.append(partial)
        for name, suite in self._suites.items():
            head = f'<testsuite name={_attribute(name)} {_counts(suite.counts)} time="{suite.seconds:.3f}">\n'
            self._sink.append(head.encode())
            suite.cases.seek(0)
            while chunk := suite.cases.read(_CHUNK):
                self._sink.append(chunk)
            self._sink.append(b"</testsuite>\n")
        self._sink.append(b"</testsuites>\n")
        self._forget()
        self._sink.close()

    def abandon(self) -> None:
        self._forget()
        self._sink.abandon()

    def _forget(self) -> None:
        for suite in self._suites.values():
            suite.cases.close()


def _verdict(row: dict[str, Json]) -> tuple[str, str]:
    """What the testcase counts as, and what stands in it: a failure did not pass, an error was not judged.

    Where the judge abstained there is nothing to pass or fail, so the test counts as skipped.
    """
    if row["outcome"] == "abstained":
        return "skipped", f"<skipped message={_attribute(row['reason'] or 'the judge abstained')}/>"
    error = row["error"]
    if isinstance(error, dict):
        kind = _attribute(error.get("kind"))
        message = error.get("message")
        return "errors", f"<error type={kind} message={_attribute(message)}>{_text(message)}</error>"
    if row["passed"] is False:
        message = f"score {row['score']} does not pass"
        return (
            "failures",
            f'<failure type="not_passed" message={_attribute(message)}>{_text(row["reason"])}</failure>',
        )
    return "passed", ""


def _name(row: dict[str, Json]) -> str:
    repeat = row["repeat"]
    return f"{row['case_id']} (repeat {repeat})" if repeat else str(row["case_id"])


def _counts(counts: Counter[str]) -> str:
    kinds = ("tests", "failures", "errors", *(("skipped",) if counts["skipped"] else ()))
    return " ".join(f'{kind}="{counts[kind]}"' for kind in kinds)


def _attribute(value: Json) -> str:
    """In quotes of its own, on one line: build services show it in tables."""
    return quoteattr(_plain(value, 400).replace("\n", " ").replace("\r", " ").replace("\t", " "))


def _text(value: Json) -> str:
    return escape(_plain(value, MAX_TEXT_CHARS))


def _plain(value: Json, most: int) -> str:
    text = "" if value is None else str(value)
    return _NOT_XML.sub("\ufffd", without_controls(shorten(text, most)))
