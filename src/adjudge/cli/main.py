"""Assembly: the command group, its config file and its exit codes. Each command loads when it is called."""

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import click

from adjudge.errors import AdjudgeError, InputError, ModelCallError, StoreError

EXIT_GATE_FAILED = 1
EXIT_INPUT_WRONG = 2
EXIT_NOT_MEASURED = 3
EXIT_STORE_TROUBLE = 4
EXIT_INTERRUPTED = 130

COMMANDS = {
    "init": "Write a starter folder: cases, a judge, a config.",
    "run": "Judge every case of a file.",
    "judge": "Judge one case and print what came out.",
    "judges": "List the built-in judges.",
    "show": "Print what was understood of a judge file.",
    "lint": "Find what would make a judge unreliable.",
    "models": "List the models that can be used.",
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
    if Path("adjudge.toml").exists() and isinstance(ctx.command, LazyGroup):
        ctx.default_map = _config_defaults(ctx.command, ctx)


def _config_defaults(group: LazyGroup, ctx: click.Context) -> dict[str, Any]:
    from adjudge.settings import read_settings

    settings = read_settings(Path(), frozenset(COMMANDS))
    if settings is None:
        return {}
    flags = {}
    for name in COMMANDS:
        command = group.get_command(ctx, name)
        assert command is not None
        flags[name] = {
            word[2:].replace("-", "_"): parameter.name
            for parameter in command.params
            if isinstance(parameter, click.Option) and parameter.name is not None
            for word in parameter.opts
            if word.startswith("--")
        }
    return settings.defaults(flags)


def main(args: list[str] | None = None) -> None:
    """Run a command and leave with the exit code DESIGN gives each kind of end."""
    sys.exit(run_command(args))


def run_command(args: list[str] | None = None) -> int:
    try:
        code = cli.main(args=args, prog_name="adjudge", standalone_mode=False)
    except click.ClickException as error:
        _complain(_with_command(error))
        return EXIT_INPUT_WRONG
    except InputError as error:
        _complain(str(error))
        return EXIT_INPUT_WRONG
    except ModelCallError as error:
        _complain(str(error))
        return EXIT_NOT_MEASURED
    except StoreError as error:
        _complain(str(error))
        return EXIT_STORE_TROUBLE
    except (KeyboardInterrupt, click.Abort):
        _complain("interrupted")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # the reader of our output has had enough; Python would complain once more when it flushes at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except AdjudgeError as error:
        _complain(str(error))
        return EXIT_INPUT_WRONG
    return code if isinstance(code, int) else 0


def _with_command(error: click.ClickException) -> str:
    message = error.format_message()
    if isinstance(error, click.UsageError) and error.ctx is not None:
        return f"{message}\n\nhint: `{error.ctx.command_path} --help` lists the flags"
    return message


def _complain(message: str) -> None:
    from adjudge.cli.console import plain

    click.echo(click.style("error: ", fg="red", bold=True) + plain(message), err=True)
