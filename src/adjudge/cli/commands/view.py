"""`adjudge view`: the browser's pages over the store."""

import webbrowser
from contextlib import ExitStack, suppress

from adjudge.cli.console import print_message
from adjudge.cli.options import ViewOptions
from adjudge.cli.stored import announce_origin, find_run
from adjudge.errors import MissingExtraError


def command(*, run: str | None, options: ViewOptions) -> None:
    try:
        from adjudge.server.keys import to_key
        from adjudge.server.serve import Server, kept_token, opening_file
        from adjudge.server.service import open_service
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("adjudge"):
            raise
        raise MissingExtraError("adjudge view", "web") from None
    from adjudge.judges import load_judge

    loaded = [load_judge(path) for path in options.judges]
    with open_service(
        options.store,
        models=options.models,
        base_url=options.base_url,
        max_cost=options.max_cost,
        judges=loaded,
    ) as service:
        announce_origin(service.store)
        path = f"runs/{to_key(find_run(service.store, run).run_id)}" if run else ""

        token = None if options.token_file is None else kept_token(options.token_file)
        server = Server(service, port=options.port, token=token)
        opened = server.address.opened(path)
        print_message(f"the pages are at {opened}")
        print_message(
            "the address contains this session's access token: anyone who has it can read the store; press Ctrl-C to stop the server"
        )
        with ExitStack() as stack:
            if not options.no_browser:
                # the port is listened on already, so a browser that is quicker than the server waits for it
                webbrowser.open(stack.enter_context(opening_file(opened)))
            with suppress(KeyboardInterrupt):  # how it is meant to end
                server.run()
        print_message("server stopped")
