"""Options that exclude each other are refused alike wherever they are set, before anything is opened."""

from functools import partial

import click
import pytest

import adjudge as library
from adjudge.cli.main import all_commands, cli
from adjudge.errors import OptionsError
from adjudge.options import RunOptions, declared, split_values
from adjudge.options.exclusions import BATCH_JUDGE, EXCLUSIONS, validate_run_options

FLAGS = {each.flag: each for each in declared(RunOptions).values()}
COMMANDS = {
    name: {
        param.opts[0] if isinstance(param, click.Option) else param.name.upper(): param
        for param in each.params
    }
    for name, each in all_commands(cli)
}
VALUES = {
    "--against": "other.jsonl",
    "--cascade": "openai:a,openai:b",
    "--fail-under-pass-rate": "0.5",
    "--jury": "majority",
    "--max-error-rate": "0.5",
    "--max-abstain-rate": "0.5",
    "--labels": "cases",
    "--engine": "ray",
    "--rates": "0.1,0.2",
    "--shard": "1/2",
    "LABELS": "labels.jsonl",
}
"""Of the others `1`."""


def name_of(term):
    return term.partition(" ")[0]


def rows(known):
    """The pairs of the table that can be said there."""
    return [
        pytest.param(rule, other, id=f"{rule.option} {'needs' if other == rule.requires else 'or'} {other}")
        for rule in EXCLUSIONS
        for other in rule.excludes or (rule.requires,)
        if {name_of(rule.option), name_of(other)} <= known
    ]


def options_of(rule, other):
    """What breaks this row and no other: each option also has what it requires."""
    given = {rule.option, *rule.excludes} & {rule.option, other}
    needed = {each.requires for each in EXCLUSIONS if each.option in given and each.requires}
    return [*given, *sorted(needed - {rule.requires, "--store"})]


def typed(term, param):
    name, _, value = term.partition(" ")
    if not name.startswith("--"):
        return [VALUES[name]]
    if param.is_flag:
        return [name]
    return [name, f"{value}=1" if name == "--param" else value or VALUES.get(name, "1")]


def keyword(term):
    name, _, value = term.partition(" ")
    each = FLAGS[name]
    text = value or VALUES.get(name, "1")
    if name == "--param":
        return {each.name: {value: 1}}
    if each.type is bool:
        return {each.name: True}
    if isinstance(each.default, tuple):
        return {each.name: split_values(text)}
    return {each.name: int(text) if text.isdigit() and name != "--name" else text}


@pytest.mark.parametrize(("rule", "other"), rows(set().union(*COMMANDS.values()) - {"--store"}))
def test_the_installed_command_refuses_them(rule, other, adjudge, tmp_path):
    options = options_of(rule, other)
    names = {name_of(term) for term in (*options, other)}
    command, params = next(found for found in COMMANDS.items() if names <= found[1].keys())
    words = [word for term in options for word in typed(term, params[name_of(term)])]
    arguments = [
        name for name, param in params.items() if isinstance(param, click.Argument) and name not in VALUES
    ]
    done = adjudge(command, *arguments, *words, process=True)
    assert done.code == 2
    verb = "requires" if other == rule.requires else "cannot be combined with"
    assert done.err.startswith(f"error: {rule.option} {verb} {other}: {rule.why}\n\nhint: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("rule", "other"), rows({BATCH_JUDGE, *FLAGS}))
def test_python_refuses_them(rule, other, tmp_path):
    keywords = {}
    for term in options_of(rule, other):
        keywords |= {} if term == BATCH_JUDGE else keyword(term)
    if rule.requires == "--store":
        keywords["store"] = None
    start = library.BatchJudge if rule.option == BATCH_JUDGE else partial(library.evaluate, "no such file")
    with pytest.raises(OptionsError) as refused:
        start("no such judge", **keywords)
    assert refused.value.options[0] == rule.option
    assert other in refused.value.options
    assert "--" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_adjudge_toml_and_the_environment_are_refused_alike_and_named(adjudge, tmp_path):
    (tmp_path / "adjudge.toml").write_text("rpm = 5\n")
    done = adjudge("estimate", "cases.jsonl", "--batch")
    assert "cannot be combined" not in done.err  # a command without the option
    done = adjudge("run", "cases.jsonl", environ={"ADJUDGE_BATCH": "1"})
    assert done.code == 2
    assert done.err.startswith("error: ADJUDGE_BATCH cannot be combined with --rpm (from adjudge.toml): ")
    assert "hint: leave out ADJUDGE_BATCH or --rpm (from adjudge.toml)" in done.err


def test_defaults_that_were_typed_exclude_nothing():
    validate_run_options(RunOptions(turns="last", engine="local", against="b.jsonl", batch=True))


def test_each_option_of_the_table_exists():
    known = {BATCH_JUDGE, *(name for params in COMMANDS.values() for name in params)}
    terms = {term for rule in EXCLUSIONS for term in (rule.option, *rule.excludes, rule.requires) if term}
    assert {name_of(term) for term in terms} <= known
