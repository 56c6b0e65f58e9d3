"""`adjudge store`: look after the store."""

from contextlib import closing

import click

from adjudge.cli.console import plain, print_message
from adjudge.cli.main import EXIT_STORE_TROUBLE
from adjudge.cli.stored import announce_origin, stored
from adjudge.store import open_store


def check(*, store: str) -> int:
    with stored(store) as opened:
        problems = opened.check()
        for problem in problems:
            click.echo(plain(problem))
        if problems:
            print_message(f"{len(problems)} problems in {opened.where}")
            return EXIT_STORE_TROUBLE
        click.echo(f"{opened.where}: no problems found")
    return 0


def vacuum(*, store: str) -> None:
    with stored(store) as opened:
        before, after = opened.vacuum()
        click.echo(f"{opened.where}: {before:,} bytes before, {after:,} after")


def trust(*, path: str) -> None:
    with closing(open_store(path, create=False)) as store:
        store.trust()
        click.echo(f"{store.where}: trusted" + (f" (store {store.id})" if store.id else ""))
        announce_origin(store)
