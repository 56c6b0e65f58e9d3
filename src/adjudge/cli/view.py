"""`adjudge view`: the browser's pages over the store."""

import webbrowser
from contextlib import ExitStack, suppress
from pathlib import Path

import click

from adjudge.cli.config import ANY, JUDGE, MODEL, never
from adjudge.cli.console import tell
from adjudge.cli.options import flag, store_option
from adjudge.cli.stored import announce_origin, find_run
from adjudge.errors import MissingExtraError


@click.command("view", short_help="Read, compare and label in a browser.")
@click.argument("run", required=False)
@flag(
    "--port", config=ANY, type=click.IntRange(1, 65_535), help="On this port; else 8321, or any that is free."
)
@flag(
    "--model",
    "models",
    config=MODEL,
    multiple=True,
    metavar="MODEL",
    help="A model that the pages and the API may use; may be repeated. Without one: `embedded`, for the built-in judges.",
)
@flag(
    "--base-url",
    config=never("it could send your key to its author's server"),
    metavar="URL",
    help="Where an `openai:` model is served.",
)
@flag(
    "--judge",
    "judges",
    config=JUDGE,
    multiple=True,
    metavar="FILE",
    help="A judge file that the pages and the API may use, beside the built-in ones; may be repeated.",
)
@flag(
    "--token-file",
    config=never("whoever wrote the file would know the token"),
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep the token in this file, made where it is missing, so that programs can read it; else it is new each time.",
)
@flag("--no-browser", config=ANY, is_flag=True, help="Print the address and open nothing.")
@store_option
def command(
    *,
    run: str | None,
    port: int | None,
    models: tuple[str, ...],
    base_url: str | None,
    judges: tuple[str, ...],
    token_file: Path | None,
    no_browser: bool,
    store: str,
) -> None:
    """Serve the pages on this machine's loopback until Ctrl-C; with RUN, open that run."""
    try:
        from adjudge.server.keys import to_key
        from adjudge.server.serve import Server, kept_token, opening_file
        from adjudge.server.service import open_service
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("adjudge"):
            raise
        raise MissingExtraError("adjudge view", "web") from None
    from adjudge.judges import load_judge

    loaded = [load_judge(path) for path in judges]
    with open_service(store, models=models, base_url=base_url, judges=loaded) as service:
        announce_origin(service.store)
        path = f"runs/{to_key(find_run(service.store, run).run_id)}" if run else ""

        server = Server(service, port=port, token=None if token_file is None else kept_token(token_file))
        opened = server.address.opened(path)
        tell(f"the pages are at {opened}")
        tell(
            "the address holds this session's token: whoever has it can read the store; Ctrl-C ends the server"
        )
        with ExitStack() as stack:
            if not no_browser:
                # the port is listened on already, so a browser that is quicker than the server waits for it
                webbrowser.open(stack.enter_context(opening_file(opened)))
            with suppress(KeyboardInterrupt):  # how it is meant to end
                server.run()
        tell("the server has ended")
