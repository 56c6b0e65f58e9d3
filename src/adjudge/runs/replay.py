"""`--model replay`: read stored replies again, and call nobody."""

from collections.abc import Mapping
from pathlib import Path

from adjudge.errors import NotAskedError, SettingsError
from adjudge.models import WrappingClient, known_providers, open_model
from adjudge.models.providers.function import PROVIDER
from adjudge.options import option
from adjudge.records import Completion, ModelClient, Request
from adjudge.runs.find_model import is_embedded
from adjudge.runs.plan import Plan
from adjudge.store import RunRecord, Store, planned_judges, planned_models


class NotStoredError(NotAskedError):
    kind = "not_stored"


class OnlyStoredClient(WrappingClient):
    """Knows the keys of another client's requests and answers none of them."""

    def __init__(self, client: ModelClient) -> None:
        super().__init__(client)
        self.is_free = True  # nothing is asked

    async def complete(self, request: Request) -> Completion:
        raise NotStoredError(f"no reply is stored for case {request.case_id}, and replay makes no calls")


REPLAY = "replay"


def open_replay(store: Store | None, source: object, plan: Plan) -> tuple[ModelClient, ...]:
    """The models of the latest run over these cases with judges of these names, kept from being called."""
    if store is None:
        raise SettingsError(
            option("--model", "replay"),
            "there is no store to replay from",
            f"name it with {option('--store')}",
        )
    path = str(Path(source).resolve()) if isinstance(source, str | Path) else None
    names = {judge.name for judge in plan.judges if judge.has_prompt}
    for run in store.runs(counted=False):
        known = {judge.rpartition("@")[0] for judge in planned_judges(run.plan)}
        if path is not None and run.plan.get("path") == path and names <= known:
            return tuple(OnlyStoredClient(_reopen(run, *each)) for each in planned_models(run.plan))
    raise SettingsError(
        option("--model", "replay"),
        f"no run of {', '.join(sorted(names))} over these cases is in {store.where}",
        "`adjudge runs` lists what is stored",
    )


def _reopen(run: RunRecord, model: str, base_url: str | None) -> ModelClient:
    """The same client for its keys' sake; no API key is needed for requests that are never sent."""
    if model.startswith("scripted:"):
        return open_model(model)
    if model.startswith(f"{PROVIDER}:"):
        raise SettingsError(
            option("--model", "replay"),
            f"run {run.run_id} was judged by a Python function ({model}), which only Python has",
            "give the function itself as `model=` to resume the run, or read it with `adjudge report`",
        )
    if is_embedded(model):
        from adjudge.embedded.ready import require_packages  # noqa: PLC0415 - keeps start-up fast

        require_packages()
        from adjudge.embedded.client import EmbeddedClient  # noqa: PLC0415 - optional packages

        return EmbeddedClient(name=model)
    environ: Mapping[str, str] = {
        variable: "replay" for provider in known_providers({}) for variable in provider.key_variables
    }
    return open_model(model, base_url=base_url, environ=environ)
