"""`adjudge store`: look after the store."""

from contextlib import closing

import click

from adjudge.cli.console import plain, tell
from adjudge.cli.main import EXIT_STORE_TROUBLE
from adjudge.cli.options import store_option
from adjudge.cli.stored import announce_origin, stored
from adjudge.store import open_store


@click.group("store", short_help="Check the store, give its unused space back, or trust it.")
def command() -> None:
    """Check the store, give its unused space back, or trust it."""


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


@command.command("trust")
@click.argument("path")
def trust(*, path: str) -> None:
    """Let runs take answers from the store at PATH, which was made elsewhere or by an earlier version."""
    with closing(open_store(path, create=False)) as store:
        store.trust()
        click.echo(f"{store.where}: trusted" + (f" (store {store.id})" if store.id else ""))
        announce_origin(store)
