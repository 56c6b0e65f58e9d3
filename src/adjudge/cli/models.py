"""`adjudge models`: list the models that can be used."""

import os

import click
import orjson

from adjudge.cli.options import json_option
from adjudge.models import known_providers


@click.command("models", short_help="List the models that can be used.")
@json_option
def command(*, as_json: bool) -> None:
    """List the providers, how a model of theirs is named, and whether what they need is set."""
    providers = known_providers(os.environ)
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
        click.echo(orjson.dumps(rows, option=orjson.OPT_INDENT_2))
        return
    for provider in providers:
        click.echo(f"{provider.example}\n    {provider.description}")
        if provider.key_variables:
            keys = " or ".join(provider.key_variables)
            click.echo(f"    {keys} is {'set' if provider.key_set else 'not set'}")
        if provider.base_url:
            click.echo(f"    requests go to {provider.base_url}")
        if provider.extra:
            click.echo(f"    needs: pip install 'adjudge[{provider.extra}]'")
    chosen = os.environ.get("ADJUDGE_MODEL")
    click.echo(
        f"\nADJUDGE_MODEL is {chosen}" if chosen else "\nADJUDGE_MODEL is not set: name a model with --model"
    )
