"""`adjudge store`: look after the store."""

import click

from adjudge.cli.console import plain, tell
from adjudge.cli.main import EXIT_STORE_TROUBLE
from adjudge.cli.options import store_option
from adjudge.cli.stored import stored


@click.group("store", short_help="Check the store, or give its unused space back.")
def command() -> None:
    """Check the store, or give its unused space back."""


@command.command("check")
@store_option
def check(*, store: str) -> int:
    """Look for damage: broken pages, texts that do not match their hash, rows that refer to nothing."""
    with stored(store) as opened:
        problems = opened.check()
        for problem in problems:
            click.echo(plain(problem))
        if problems:
            tell(f"{len(problems)} problems in {opened.where}")
            return EXIT_STORE_TROUBLE
        click.echo(f"{opened.where}: all is well")
    return 0


@command.command("vacuum")
@store_option
def vacuum(*, store: str) -> None:
    """Drop texts that nothing refers to and give the space back."""
    with stored(store) as opened:
        before, after = opened.vacuum()
        click.echo(f"{opened.where}: {before:,} bytes before, {after:,} after")
