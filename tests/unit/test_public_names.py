"""The public names are those in `__all__`, sorted, each with one home."""

import subprocess
import sys

import pytest

import adjudge


def test_all_is_sorted_and_every_name_loads():
    assert adjudge.__all__ == sorted(adjudge.__all__)
    assert {name for name in adjudge.__all__ if getattr(adjudge, name) is None} == set()
    assert set(adjudge.__all__) == set(adjudge._HOME_OF)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="evalaute"):
        adjudge.evalaute  # noqa: B018 - looked up for its error


HEAVY = (
    *("aiohttp", "asyncio", "genai_prices", "jinja2", "json_repair", "numpy", "orjson", "pandas"),
    *("pyarrow", "pydantic", "rich", "sqlite3", "yaml"),
    *("adjudge.judges.parse", "adjudge.judges.reading", "adjudge.templates"),
)
"""Of ours, what reads a prompt: a built-in judge was read before."""
FILLS = ("asyncio", "orjson", "adjudge.templates")
"""What fills a prompt; nothing is sent, so what sends it is not loaded."""
READS = ("yaml", "adjudge.judges.reading", "adjudge.templates")


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        (["--help"], ()),
        (["run", "--help"], ()),
        (["agree", "--help"], ()),
        (["judges"], ()),
        (["judges", "--json"], ("orjson",)),
        (["lint", "correctness"], READS),
        (["show", "correctness"], ("orjson",)),
        (["show", "helpfulness", "--json"], ("orjson",)),
        (["runs"], ("orjson", "sqlite3")),
        (["estimate", "cases.jsonl", "--judge", "relevance", "--model", "openai:x", "--price", "1,2"], FILLS),
        (["estimate", "cases.jsonl", "--judge", "relevance", "--model", "embedded"], FILLS),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("settings", [False, True], ids=["plain", "with settings"])
def test_a_command_loads_nothing_heavy_that_it_does_not_need(
    command, needed, settings, tmp_path, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "unused")
    (tmp_path / "cases.jsonl").write_text('{"id": "a", "response": "r", "parameters": "p"}\n')
    if settings:
        monkeypatch.setenv("ADJUDGE_MODEL", "openai:x")
        (tmp_path / "adjudge.toml").write_text('jobs = 16\n[run]\nfail_under_pass_rate = ["0.8"]\n')
    code = (
        f"import sys, adjudge; from adjudge.cli.main import run_command; code = run_command({command!r});"
        f"assert not code or {command!r} == ['runs'], code; print('LOADED', *sorted(set({HEAVY!r}) & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert set(done.stdout.splitlines()[-1].split()[1:]) <= set(needed)
