"""Commands are declared as data: what they are called with is what the function that does them takes."""

import importlib
from inspect import signature

import click
import pytest

from adjudge.analysis.agreement.figures import EPSILON
from adjudge.cli.flags import Flag
from adjudge.cli.main import all_commands, cli
from adjudge.cli.options import AgreeOptions, DrawOptions
from adjudge.options import declared
from adjudge.stats.labelling import MIN_UNIFORM

DONE = [(path, command) for path, command in all_commands(cli) if path != "store"]


@pytest.mark.parametrize(("path", "command"), DONE, ids=[path for path, _ in DONE])
def test_what_does_a_command_takes_what_is_declared(path, command):
    cells = dict(
        zip(
            command.callback.__code__.co_freevars,
            [cell.cell_contents for cell in command.callback.__closure__],
            strict=True,
        )
    )
    function = getattr(importlib.import_module(f"adjudge.cli.commands.{cells['module']}"), cells["function"])
    taken = {name: each.annotation for name, each in signature(function).parameters.items()}
    records = {key: part.record for key, part in cells["parts"].items()}
    own = {flag.name for flags in cells["own"].values() for flag in flags}
    assert taken.keys() == records.keys() | {each.name for each in command.params} - own
    assert {key: taken[key] for key in records} == records
    assert len(taken) <= 8


def test_no_two_flags_of_a_command_set_the_same_or_have_the_same_name():
    for path, command in all_commands(cli):
        names = [each.name for each in command.params]
        words = [word for each in command.params if isinstance(each, click.Option) for word in each.opts]
        assert len(set(names)) == len(names), path
        assert len(set(words)) == len(words), path


def test_choices_and_defaults_written_out_here_are_those_of_the_modules_that_use_them():
    assert declared(AgreeOptions)["epsilon"].default == EPSILON
    uniform = declared(DrawOptions)["uniform"]
    assert (uniform.default, uniform.option.least) == (MIN_UNIFORM, MIN_UNIFORM)


def test_every_flag_says_what_it_is_for():
    assert [
        flag.opts
        for _, command in all_commands(cli)
        for flag in command.params
        if isinstance(flag, Flag) and not flag.help
    ] == []
