"""Assembly: the command group, its config file and its exit codes. Each command loads when it is called."""

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.errors import InputError, ModelCallError, StoreError

if TYPE_CHECKING:
    from adjudge.settings import Flags

EXIT_GATE_FAILED = 1
EXIT_INPUT_WRONG = 2
EXIT_NOT_MEASURED = 3
EXIT_STORE_TROUBLE = 4
EXIT_DEFECT = 70
EXIT_INTERRUPTED = 130

COMMANDS = {
    "init": "Write a starter folder: cases, a judge, a config.",
    "run": "Judge every case of a file.",
    "judge": "Judge one case and print what came out.",
    "judges": "List the built-in judges.",
    "show": "Print what was understood of a judge file.",
    "lint": "Find what would make a judge unreliable.",
    "estimate": "Say what a run would take, before it is made.",
    "runs": "List the stored runs, or remove one.",
    "report": "Print the figures of a stored run.",
    "compare": "Say whether one run is better than another.",
    "plan": "Say how many cases a comparison needs.",
    "certify": "Try a judge with probes and attacks, and write its card.",
    "agree": "Say how far a judge agrees with people.",
    "view": "Read, compare and label in a browser.",
    "export": "Write a stored run's rows to a file.",
    "models": "List the models that can be used.",
    "store": "Check the store, give its unused space back, or trust it.",
}


class LazyGroup(click.Group):
    """Knows its commands by name and imports a command's module only when it is called: `--help` stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"adjudge.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            import difflib

            close = difflib.get_close_matches(args[0], COMMANDS, n=1)
            raise InputError(
                f"adjudge {args[0]}",
                "no such command",
                f"did you mean `adjudge {close[0]}`?" if close else f"the commands are {', '.join(COMMANDS)}",
            ) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from adjudge import __version__

        click.echo(f"adjudge {__version__}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
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
    if not isinstance(ctx.command, LazyGroup):
        return
    if Path("adjudge.toml").exists():
        ctx.default_map = _config_defaults(ctx.command, ctx)
    _check_variables(ctx.command, ctx)


OTHER_VARIABLES = frozenset({"ADJUDGE_CACHE", "ADJUDGE_CURRENT_DATE", "ADJUDGE_STATE", "ADJUDGE_TRUST_STORE"})
"""Read elsewhere than by a flag."""


def _check_variables(group: LazyGroup, ctx: click.Context) -> None:
    """A variable that nothing reads is a misspelt one more often than not."""
    given = {name for name in os.environ if name.startswith("ADJUDGE_")} - OTHER_VARIABLES
    if not given:
        return
    import difflib

    from adjudge.cli.console import tell

    flags = {name for names in _flags(group, ctx).values() for name in names}
    known = {f"ADJUDGE_{name.upper()}" for name in flags} | OTHER_VARIABLES
    for name in sorted(given - known):
        if not name.startswith("ADJUDGE_TESTS_"):
            close = difflib.get_close_matches(name, known, n=1)
            tell(
                f"warning: {name} is not read by anything" + (f"; did you mean {close[0]}?" if close else "")
            )


def _config_defaults(group: LazyGroup, ctx: click.Context) -> dict[str, Any]:
    from adjudge.settings import read_settings

    settings = read_settings(Path(), frozenset(COMMANDS))
    return {} if settings is None else settings.defaults(_flags(group, ctx))


def _flags(group: LazyGroup, ctx: click.Context) -> "Flags":
    """Each command's long flags, as config files write them, and the parameters they set."""
    from adjudge.cli.options import Flag
    from adjudge.settings import Key

    return {
        path: {
            word[2:].replace("-", "_"): Key(option.name, option.config.refused)
            for option in command.params
            if isinstance(option, Flag) and option.name is not None
            for word in option.opts
            if word.startswith("--")
        }
        for path, command in all_commands(group, ctx)
    }


def all_commands(group: click.Group, ctx: click.Context) -> Iterator[tuple[str, click.Command]]:
    """By what one types; a command inside a group follows the group."""
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            for inner, each in all_commands(command, ctx):
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
            message = f"{parameter.envvar}: {message}"
        elif source is click.core.ParameterSource.DEFAULT_MAP:
            message = f"adjudge.toml: {message}"
    if isinstance(error, click.UsageError) and ctx is not None:
        return f"{message}\n\nhint: `{ctx.command_path} --help` lists the flags"
    return message


def _complain(message: str, code: int) -> int:
    from adjudge.cli.console import plain, use_colour

    prefix = click.style("error: ", fg="red", bold=True) if use_colour(sys.stderr) else "error: "
    with suppress(OSError):  # nobody can be told that nobody can be told
        click.echo(prefix + plain(message), err=True)
    return code
