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


def test_importing_adjudge_and_its_help_load_nothing_heavy():
    code = (
        "import sys, adjudge; from adjudge.cli.main import run_command; run_command(['--help']);"
        "heavy = {'aiohttp', 'rich', 'yaml', 'jinja2', 'json_repair', 'genai_prices', 'pydantic', 'pyarrow', 'pandas', 'numpy'};"
        "print('LOADED', sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "LOADED []"
