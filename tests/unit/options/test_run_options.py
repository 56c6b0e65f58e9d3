"""An option is declared once: keywords, flags, variables and config keys are made from it, old names beside new.

For options/declaration.py, run_options.py, keywords.py and spelling.py, with the flags made from them.
"""

from inspect import signature
from pathlib import Path

import click
import pytest

import adjudge
from adjudge.cli.main import cli, run_command
from adjudge.errors import SettingsError
from adjudge.options import Price, RunKeywords, RunOptions, called_from_python, declared, make_options, option
from adjudge.options.run_options import parse_price

OPTIONS = declared(RunOptions)
RUN = cli.commands["run"]
ALIASES = [
    ("first", "limit"),
    ("jobs", "max_concurrency"),
    ("fresh", "no_cache"),
]


def test_type_checkers_know_the_keywords_of_the_record():
    names = {alias: name for name, each in OPTIONS.items() for alias in (name, *each.option.aliases)}
    keywords = {
        name: getattr(kind, "__forward_arg__", kind) for name, kind in RunKeywords.__annotations__.items()
    }
    assert keywords.keys() == names.keys()
    wider = {
        "max_cost",
        "retry",
        "model",
        "cascade",
        "shard",
    }  # Python takes a float, any iterable, and one model or a text
    assert [
        key for key, name in names.items() if key not in wider and keywords[key] != OPTIONS[name].type
    ] == []


@pytest.mark.parametrize("function", [adjudge.evaluate, adjudge.aevaluate])
def test_help_shows_the_keywords_with_their_defaults(function):
    shown = signature(function).parameters
    assert [*shown] == ["cases", "judges", *OPTIONS]
    assert shown["jobs"].default == 64


def test_every_option_of_a_run_is_a_flag_of_the_command_with_the_same_default(monkeypatch):
    flags = {each.name: each for each in RUN.params if isinstance(each, click.Option)}
    for name, each in OPTIONS.items():
        assert each.flag in flags[name].opts
    assert parsed(monkeypatch) == RunOptions()


@pytest.mark.parametrize(("name", "alias"), ALIASES)
def test_names_of_other_tools_mean_the_same(name, alias):
    assert alias in OPTIONS[name].option.aliases
    value = True if name == "fresh" else 3
    assert getattr(make_options(**{alias: value}), name) == value
    with pytest.raises(TypeError, match=f"got '{name}' twice"):
        make_options(**{name: value, alias: value})


def test_a_keyword_nobody_knows_is_an_error():
    with pytest.raises(TypeError, match="unexpected keyword argument 'modell'"):
        adjudge.evaluate([], "relevance", modell="x")


def parsed(monkeypatch, *args):
    """What `adjudge run` would be given, with this folder's adjudge.toml and the environment."""
    given = {}
    monkeypatch.setattr("adjudge.cli.commands.run.command", lambda **parts: given.update(parts) or 0)
    assert run_command(["run", "cases.jsonl", "-J", "relevance", *args]) == 0
    return given["options"]


@pytest.mark.parametrize(
    "args",
    [("--limit", "3", "--max-concurrency", "2"), ("-n", "3", "-j", "2"), ("--first", "3", "--jobs", "2")],
)
def test_flags_by_any_name(monkeypatch, args):
    options = parsed(
        monkeypatch,
        *args,
        "--columns",
        "question=q",
        "--columns",
        "response=r=1",
        "--variables",
        "focus=tone",
    )
    assert (options.first, options.jobs) == (3, 2)
    assert options.columns == {"question": "q", "response": "r=1"}
    assert options.variables == {"focus": "tone"}
    assert not options.fresh
    assert parsed(monkeypatch, "--no-cache").fresh


def test_variables_by_any_name(monkeypatch):
    monkeypatch.setenv("ADJUDGE_COLUMNS", "question=q\nresponse=a, b")
    monkeypatch.setenv("ADJUDGE_LIMIT", "3")
    monkeypatch.setenv("ADJUDGE_MAX_CONCURRENCY", "2")
    options = parsed(monkeypatch)
    assert options.columns == {"question": "q", "response": "a, b"}
    assert (options.first, options.jobs) == (3, 2)
    monkeypatch.setenv("ADJUDGE_MAX_CONCURRENCY", "many")
    assert run_command(["run", "cases.jsonl", "-J", "relevance"]) == 2


def test_the_variable_that_was_set_is_the_one_complained_about(monkeypatch, capsys):
    monkeypatch.setenv("ADJUDGE_LIMIT", "few")
    assert run_command(["run", "cases.jsonl", "-J", "relevance"]) == 2
    assert "ADJUDGE_LIMIT: " in capsys.readouterr().err


def test_the_config_file_by_any_name(monkeypatch):
    Path("adjudge.toml").write_text(
        'limit = 3\n[run]\nmax-concurrency = 2\n[run.columns]\nquestion = "q"\n[run.variables]\nfocus = "tone"\n'
    )
    options = parsed(monkeypatch)
    assert (options.first, options.jobs) == (3, 2)
    assert (options.columns, options.variables) == ({"question": "q"}, {"focus": "tone"})


def test_a_command_of_its_own_overrides_the_same_option_by_another_name(monkeypatch):
    Path("adjudge.toml").write_text("limit = 3\n[run]\nfirst = 4\n")
    assert parsed(monkeypatch).first == 4


def test_two_names_of_one_option_in_one_table_are_an_error(capsys):
    Path("adjudge.toml").write_text("limit = 3\nfirst = 4\n")
    assert run_command(["run", "cases.jsonl", "-J", "relevance"]) == 2
    assert "`first` and `limit` set the same option" in capsys.readouterr().err.replace(
        "`limit` and `first`", "`first` and `limit`"
    )


def test_values_become_what_the_record_holds(monkeypatch):
    options = parsed(
        monkeypatch,
        *("--max-cost", "1.10", "--price", "0.15, 0.60", "--retry", "unreadable, refused"),
        *("--param", "top_p=0.9", "--param", "user=me"),
    )
    assert str(options.max_cost) == "1.10"
    assert options.price == parse_price("0.15,0.60")
    assert options.retry == {"unreadable", "refused"}
    assert options.parameters == {"top_p": 0.9, "user": "me"}
    assert str(make_options(max_cost=1.1).max_cost) == "1.1"
    assert make_options(retry=["refused"]).retry == frozenset({"refused"})


@pytest.mark.parametrize("text", ["1", "1,2,3", "a,b", "-1,2", "nan,1"])
def test_a_price_that_is_none_is_refused(text):
    with pytest.raises(SettingsError, match="IN,OUT"):
        parse_price(text)


def test_options_do_not_print_what_may_be_secret():
    made = RunOptions(
        parameters={"api_key": "sk-secret"}, base_url="http://me:secret@host", price=Price(input=1, output=2)
    )
    assert "secret" not in repr(made)


def test_messages_name_what_the_caller_wrote():
    assert option("--columns", "question=q") == "--columns question=q"
    with called_from_python():
        assert option("--columns", "question=q") == 'columns={"question": "q"}'
        assert option("--columns") == "columns="
        assert option("--param", "n") == 'parameters={"n": …}'
        assert option("-n", "3") == "first=3"
        assert option("--strict") == "strict=True"
        assert option("--judge", "correctness") == 'judges="correctness"'
