"""Assembly: the command group, its config file and its exit codes."""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.command_line import COMMANDS
from adjudge.cli.flags import Flag, Pairs
from adjudge.errors import InputError, ModelCallError, StoreError
from adjudge.text import closest

if TYPE_CHECKING:
    from adjudge.options.config_file import Flags

EXIT_GATE_FAILED = 1
EXIT_INPUT_WRONG = 2
EXIT_NOT_MEASURED = 3
EXIT_STORE_TROUBLE = 4
EXIT_DEFECT = 70
EXIT_INTERRUPTED = 130
TYPED = "adjudge.typed"
"""Where the context of a command has what was typed."""


OTHER_WORDS = {
    **dict.fromkeys(("serve", "ui", "web", "open", "dashboard"), "view"),
    **dict.fromkeys(("eval", "evaluate", "test", "score"), "run"),
    **dict.fromkeys(("list", "ls", "history"), "runs"),
    "help": "--help",
    "version": "--version",
}
"""What other tools call a command of ours."""


OTHER_FLAGS = {
    "--rubric": "a rubric is a variable of the judge `rubric`: --judge rubric --variables 'rubric=The answer is polite.'"
}
"""What is looked for as a flag and is none, with what to type instead."""


class CommandGroup(click.Group):
    """Suggests a command where there is none of that name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order of a first day's work

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            close = OTHER_WORDS.get(args[0]) or closest(args[0], self.commands)
            raise InputError(
                f"adjudge {args[0]}",
                "no such command",
                f"did you mean `adjudge {close}`?"
                if close
                else f"the commands are {', '.join(self.commands)}",
            ) from None


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from adjudge import __version__

        click.echo(f"adjudge {__version__}")
        ctx.exit()


@click.group(
    cls=CommandGroup,
    commands={each.name: each for each in COMMANDS if each.name},
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version.",
)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Turn judge prompts into measurements: run a prompt over answers, read typed verdicts, compute scores in code."""
    if Path("adjudge.toml").exists():
        ctx.default_map = _config_defaults()
    _warn_of_unknown_variables()


OTHER_VARIABLES = frozenset({"ADJUDGE_CACHE", "ADJUDGE_CURRENT_DATE", "ADJUDGE_STATE", "ADJUDGE_TRUST_STORE"})
"""Read elsewhere than by a flag."""


def _warn_of_unknown_variables() -> None:
    """A variable that nothing reads is a misspelt one more often than not."""
    variables = {name for name in os.environ if name.startswith("ADJUDGE_")} - OTHER_VARIABLES
    known = {f"ADJUDGE_{name.upper()}" for names in _flags().values() for name in names} | OTHER_VARIABLES
    for name in sorted(variables - known):
        if not name.startswith("ADJUDGE_TESTS_"):
            from adjudge.cli.console import print_message

            close = closest(name, sorted(known))
            print_message(
                f"warning: {name} is not a known setting" + (f"; did you mean {close}?" if close else "")
            )


def _config_defaults() -> dict[str, Any]:
    from adjudge.options.config_file import read_settings

    settings = read_settings(Path(), frozenset(cli.commands))
    return {} if settings is None else settings.defaults(_flags())


def _flags() -> "Flags":
    """Each command's long flags, as config files write them, and the parameters they set."""
    from adjudge.options.config_file import Key

    return {
        path: {
            key: Key(option.name or "", option.config.refused, isinstance(option, Pairs))
            for option in command.params
            if isinstance(option, Flag)
            for key in option.keys
        }
        for path, command in all_commands(cli)
    }


def all_commands(group: click.Group) -> Iterator[tuple[str, click.Command]]:
    """By what one types; a command inside a group follows the group."""
    for name, command in group.commands.items():
        yield name, command
        if isinstance(command, click.Group):
            for inner, each in all_commands(command):
                yield f"{name} {inner}", each


def main(args: list[str] | None = None) -> None:
    """Run a command and leave with the exit code DESIGN gives each kind of end."""
    from adjudge.cli.interrupts import end_at_second_interrupt

    end_at_second_interrupt()
    sys.exit(run_command(args))


def run_command(args: list[str] | None = None) -> int:
    _replace_closed_streams()
    try:
        code = _invoke(sys.argv[1:] if args is None else args)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.ClickException as error:
        return _complain(_with_command(error), EXIT_INPUT_WRONG)
    except InputError as error:
        return _complain(str(error), EXIT_INPUT_WRONG)
    except ModelCallError as error:
        return _complain(str(error), EXIT_NOT_MEASURED)
    except StoreError as error:
        return _complain(str(error), EXIT_STORE_TROUBLE)
    except (KeyboardInterrupt, click.Abort):
        return _complain("interrupted", EXIT_INTERRUPTED)
    except BrokenPipeError:
        _forget_stdout()
        return 0  # the reader of our output has had enough
    except OSError as error:
        _forget_stdout()
        return _complain(f"the output could not be written: {error.strerror or error}", EXIT_STORE_TROUBLE)
    except Exception as error:  # noqa: BLE001 - whatever it is, it must not end in the code of a failed gate
        from adjudge.cli.defects import defect_message

        return _complain(defect_message(error), EXIT_DEFECT)
    return code


def _invoke(args: list[str]) -> int:
    """Click's own `main` without its exits: it takes a closed pipe for a failure, which here means a failed gate."""
    try:
        with cli.make_context("adjudge", list(args)) as ctx:
            ctx.meta[TYPED] = args
            code = cli.invoke(ctx)
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    return code if isinstance(code, int) else 0


def _replace_closed_streams() -> None:
    """A stream that was closed before we began is None to Python; what would go there goes nowhere."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - for as long as we run
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123


def _forget_stdout() -> None:
    """Python would complain once more when it flushes at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _with_command(error: click.ClickException) -> str:
    message = error.format_message()
    ctx = getattr(error, "ctx", None)
    parameter = getattr(error, "param", None)
    if ctx is not None and parameter is not None and parameter.name is not None:
        source = ctx.get_parameter_source(parameter.name)
        if source is click.core.ParameterSource.ENVIRONMENT:
            message = f"{parameter.variable_set(os.environ)}: {message}"
        elif source is click.core.ParameterSource.DEFAULT_MAP:
            message = f"adjudge.toml: {message}"
    if isinstance(error, click.NoSuchOption) and error.option_name in OTHER_FLAGS:
        return f"No such option '{error.option_name}'.\n\nhint: {OTHER_FLAGS[error.option_name]}"
    if isinstance(error, click.UsageError) and ctx is not None:
        return f"{message}\n\nhint: `{ctx.command_path} --help` lists the flags"
    return message


def _complain(message: str, code: int) -> int:
    from adjudge.cli.console import plain, use_colour

    prefix = click.style("error: ", fg="red", bold=True) if use_colour(sys.stderr) else "error: "
    with suppress(OSError):  # nobody can be told that nobody can be told
        click.echo(prefix + plain(message), err=True)
    return code
