"""Which models answer a run: those that were named, else the embedded judge for the judges it knows."""

import os
from collections.abc import Mapping, Sequence

from adjudge.errors import ModelNameError, NotAskedError, SettingsError
from adjudge.models import known_providers, open_model
from adjudge.models.providers.function import to_client
from adjudge.options import RunOptions, option
from adjudge.records import IN_CODE, Completion, Judge, ModelClient, ModelFunction, Request
from adjudge.runs.plan import Plan, named_models

EMBEDDED = "embedded"


class NoModel(ModelClient):
    """For a run of checks in code: there is nothing to ask, and no key or server is needed."""

    name = IN_CODE
    is_free = True

    async def complete(self, request: Request) -> Completion:
        raise NotAskedError(f"judge {request.judge} asks a model, and this run has none")

    async def close(self) -> None:
        pass


def one_model(options: RunOptions) -> str | ModelClient | ModelFunction | None:
    """For a command that asks one model; None where none was given."""
    if len(options.model) > 1:
        raise SettingsError(
            option("--model"), f"{len(options.model)} were given, and one is asked here", "name one model"
        )
    return next(iter(options.model), None)


def find_models(
    plan: Plan, *, environ: Mapping[str, str] = os.environ, cores: int | None = None, sends: bool = True
) -> tuple[ModelClient, ...]:
    """In the order in which they were named; a key in the environment never chooses one by itself. `cores` are those that
    the embedded judge may use. Without `sends` nothing will be asked, so that no key is needed.
    """
    if not plan.asks_model:
        return (NoModel(),)
    named = named_models(plan.options, environ) or (default_model(plan.judges, environ),)
    clients = tuple(
        _open(model, plan, environ, several=len(named) > 1, cores=cores, sends=sends) for model in named
    )
    names = [client.name for client in clients]
    for name in names:
        if names.count(name) > 1:
            raise SettingsError(
                option("--model"), f"{name} is given {names.count(name)} times", "name each model once"
            )
    return clients


def _open(
    model: str | ModelClient | ModelFunction,
    plan: Plan,
    environ: Mapping[str, str],
    *,
    several: bool,
    cores: int | None,
    sends: bool,
) -> ModelClient:
    options = plan.options
    if not isinstance(model, str):
        return to_client(model, jobs=options.jobs)
    base_url = options.base_url
    if several and (is_embedded(model) or model.startswith("scripted:")):
        base_url = None  # it is for the others
    if is_embedded(model):
        return open_embedded(model, plan.judges, base_url=base_url, environ=environ, cores=cores)
    return open_model(
        model,
        base_url=base_url,
        environ=environ,
        timeout_seconds=options.timeout,
        connections=options.jobs,
        sends=sends and not plan.is_sent_elsewhere,
    )


def is_embedded(model: str) -> bool:
    """`embedded`, or as a run knows it, with the hash of what it consists of."""
    return model.partition("@")[0] == EMBEDDED


def default_model(judges: Sequence[Judge], environ: Mapping[str, str]) -> str:
    if all(judge.for_embedded for judge in judges if judge.has_prompt):
        return EMBEDDED
    untrained = [judge.name for judge in judges if judge.built_in and not judge.for_embedded]
    problem = "no model was given"
    if untrained:
        problem += f", and the embedded judge was not trained for {', '.join(untrained)}"
    raise ModelNameError("model", problem, _what_can_be_used(environ))


def open_embedded(
    model: str,
    judges: Sequence[Judge],
    *,
    base_url: str | None,
    environ: Mapping[str, str],
    cores: int | None = None,
) -> ModelClient:
    """Checked before the run begins: that it is on this machine, and that it was trained for these judges."""
    from adjudge.embedded.ready import require_ready  # noqa: PLC0415 - keeps start-up fast

    refuse_untrained(
        judges,
        f"use a judge that it answers (`adjudge judges` says which) or a larger model: {_what_can_be_used(environ)}",
    )
    if base_url is not None:
        raise ModelNameError(
            f"model {EMBEDDED}",
            "runs on this machine and has no base URL",
            f"leave {option('--base-url')} out",
        )
    require_ready(environ)
    from adjudge.embedded.client import EmbeddedClient  # noqa: PLC0415 - optional packages, there as just checked

    client = EmbeddedClient(environ, cores=cores)
    if model not in {EMBEDDED, client.name}:
        raise ModelNameError(
            f"model {model}",
            f"is another version; the installed one is {client.name}",
            f"use {option('--model', EMBEDDED)}",
        )
    return client


def refuse_untrained(judges: Sequence[Judge], hint: str) -> None:
    """An error that names the judges which the embedded judge cannot answer."""
    others = [judge.name for judge in judges if judge.has_prompt and not judge.for_embedded]
    if others:
        raise ModelNameError(
            f"model {EMBEDDED}",
            f"was trained for some of the built-in judges and cannot read the prompt of {', '.join(others)}",
            hint,
        )


def _what_can_be_used(environ: Mapping[str, str]) -> str:
    ready = [
        provider.example
        for provider in known_providers(environ)
        if provider.key_variables and provider.key_set
    ]
    keyed = f"; keys are set for {', '.join(ready)}" if ready else ""
    return (
        f"name one with {option('--model')} or ADJUDGE_MODEL, such as `openai:gpt-…`, `anthropic:claude-…`, `google:gemini-…`, "
        f"a local server with `{option('--model', 'openai:NAME')}` and `{option('--base-url', 'URL')}`, or `scripted:FILE`; `adjudge models` lists them{keyed}"
    )
