"""Reaching a Ray cluster: what can go wrong before the first case is judged, and what to do about it."""

import asyncio
import os
import platform
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, field
from importlib import metadata
from logging import getLogger
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from adjudge import __version__
from adjudge.errors import InputError, MissingExtraError, SettingsError
from adjudge.models.addresses import parse_base_url
from adjudge.options import option
from adjudge.runs.plan import Plan
from adjudge.store.places import is_url, split_password

LOG = getLogger(__name__)
LOCAL = "local"
CONNECT_SECONDS = 30.0
LOST_SECONDS = 20.0
"""Ray ends the whole process, with exit code 1, when the head node has not answered for 60."""
WATCH_SECONDS = 2.0
NO_USAGE_STATISTICS = {"RAY_USAGE_STATS_ENABLED": "0"}


class Node(NamedTuple):
    node_id: str
    name: str
    cores: int


@dataclass(kw_only=True)
class Cluster:
    """A connection to Ray, for one run."""

    ray: Any
    head: tuple[str, int] | None
    """Host and port of the head node; None where a Ray client stands between."""
    nodes: list[Node] = field(default_factory=list)
    is_lost: bool = False

    async def wait_until_lost(self) -> None:
        """Return when the head node has not answered for a while; for ever where it cannot be watched."""
        if self.head is None:
            await asyncio.Future()
            return
        failing_since: float | None = None
        while not self.is_lost:
            await asyncio.sleep(WATCH_SECONDS)
            now = time.monotonic()
            if await _answers(*self.head):
                failing_since = None
            elif failing_since is None:
                failing_since = now
            elif now - failing_since >= LOST_SECONDS:
                self.is_lost = True


async def _answers(host: str, port: int) -> bool:
    try:
        async with asyncio.timeout(WATCH_SECONDS):
            _, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True


@asynccontextmanager
async def open_cluster(plan: Plan) -> AsyncIterator[Cluster]:
    """Before a run begins: what would keep it from being judged there is said first."""
    options = plan.options
    validate_secrets(plan)
    async with connected(options.ray_address, str(options.store)) as cluster:
        cluster.nodes = await asyncio.to_thread(validate_nodes, cluster.ray, store=str(options.store))
        yield cluster


def validate_secrets(plan: Plan) -> None:
    """Whoever looks at the cluster may see what is sent, so that secrets have to be there already."""
    options = plan.options
    if plan.confidential is not None:
        raise SettingsError(
            option("--param"),
            "holds a secret, which is not sent to a cluster",
            "set it in the environment of every node, as the provider's key",
        )
    if options.base_url is not None and parse_base_url(options.base_url, where=option("--base-url")).secrets:
        raise SettingsError(
            option("--base-url"),
            "holds a password, which is not sent to a cluster",
            "set the address in the environment of every node instead, such as OPENAI_BASE_URL",
        )


def import_ray() -> Any:
    os.environ.update(NO_USAGE_STATISTICS)
    try:
        import ray  # noqa: PLC0415 - optional, and slow to load
    except ImportError:
        raise MissingExtraError(option("--engine", "ray"), "ray") from None
    return ray


@asynccontextmanager
async def connected(address: str, store: str) -> AsyncIterator[Cluster]:
    """Connect to Ray; a cluster that was started here ends here. Inside a program that uses Ray, its connection is used."""
    ray = import_ray()
    if ray.is_initialized():
        yield Cluster(ray=ray, head=None)
        return
    if address not in {LOCAL, "auto"}:
        await asyncio.to_thread(_validate_reachable, address)
    ray_thread = _RayThread(ray, address)
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            with _inherited(store) if address == LOCAL else nullcontext():
                await ray_thread.connect()
    except TimeoutError:
        raise _unreachable(address, f"it did not answer within {CONNECT_SECONDS:.0f} seconds") from None
    except (ray.exceptions.RayError, OSError, RuntimeError, ValueError) as error:
        raise _unreachable(address, " ".join(str(error).split())[:500]) from None
    else:
        with _on_the_log(ray):
            yield Cluster(ray=ray, head=_head(ray, address))
    finally:
        await ray_thread.disconnect()


def _head(ray: Any, address: str) -> tuple[str, int] | None:
    if "://" in address:
        return None
    host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
    return host.strip("[]"), int(port)


class _RayThread:
    """One thread from `ray.init` to `ray.shutdown`: on Linux, Ray's processes die with the thread that started them.

    A daemon, because a connection may hang for minutes after it was given up.
    """

    def __init__(self, ray: Any, address: str) -> None:
        self._ray, self._address = ray, address
        self._connected: Future[None] = Future()
        self._shut_down: Future[None] = Future()
        self._leave = threading.Event()

    async def connect(self) -> None:
        threading.Thread(target=self._run, name="adjudge-ray", daemon=True).start()
        await asyncio.wrap_future(self._connected)

    async def disconnect(self) -> None:
        self._leave.set()
        if self._connected.done() and self._connected.exception() is None:
            await asyncio.wrap_future(self._shut_down)

    def _run(self) -> None:
        _run_into(self._connected, self._init)
        if self._connected.exception() is None:
            self._leave.wait()
            _run_into(self._shut_down, self._ray.shutdown)

    def _init(self) -> None:
        if "://" in self._address:
            _find_token()
        arguments = {"include_dashboard": False} if self._address == LOCAL else {}
        # Without a working directory of its own, workers would import modules from the folder of the cases.
        with TemporaryDirectory(prefix="adjudge-ray-") as empty:
            self._ray.init(
                self._address,
                log_to_driver=False,
                logging_level="ERROR",
                runtime_env={"working_dir": empty},
                **arguments,
            )


def _find_token() -> None:
    """Clusters ask for a token by default; Ray looks for it where it starts or joins one, but not as a client of one."""
    try:
        from ray._private.authentication import authentication_token_setup as setup  # noqa: PLC0415 - optional, as above
    except ImportError:  # of an older Ray, which asks for none
        return
    find = getattr(setup, "maybe_enable_token_auth_if_token_available", None)
    if find is not None:
        find(warn_if_disabled=False)


def _run_into(future: Future[None], work: Callable[[], object]) -> None:
    future.set_running_or_notify_cancel()  # from here on, giving up waiting does not cancel it
    try:
        work()
    except BaseException as error:  # noqa: BLE001 - raised where the future is awaited
        future.set_exception(error)
    else:
        future.set_result(None)


@contextmanager
def _on_the_log(ray: Any) -> Iterator[None]:
    """Ray tells of every retry on stdout, where rows may go, whatever it was told of logging."""
    internals = ray._private.worker  # noqa: SLF001 - there is no other way to keep it off stdout
    shown = getattr(internals, "print_to_stdstream", None)
    if shown is None:
        yield
        return
    internals.print_to_stdstream = lambda data, **_: LOG.info(
        "%s", "\n".join(map(str, data.get("lines", ())))
    )
    try:
        yield
    finally:
        internals.print_to_stdstream = shown


def _validate_reachable(address: str) -> None:
    """Ray itself tries for minutes."""
    parts = urlsplit(address if "://" in address else f"ray://{address}")
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port or parts.scheme != "ray":
        raise SettingsError(
            option("--ray-address", address),
            "is not an address of a Ray cluster",
            "give `local`, `auto` or `ray://HOST:PORT` (the port is 10001 unless it was changed)",
        )
    try:
        socket.create_connection((host, port), timeout=CONNECT_SECONDS).close()
    except OSError as error:
        raise _unreachable(address, error.strerror or str(error)) from None


def _unreachable(address: str, problem: str) -> SettingsError:
    check = "check that it has the same versions of Python and Ray and the same token (RAY_AUTH_TOKEN or ~/.ray/auth_token) as here"
    if address == "auto":
        hint = f"start one with `ray start --head`, run this on a machine of the cluster, or give its address; if it runs, {check}"
    else:
        hint = f"start the cluster (`ray status` there tells whether it runs); if it runs, {check}"
    return SettingsError(option("--ray-address", address), problem, hint)


@contextmanager
def _inherited(store: str) -> Iterator[None]:
    """While a cluster is started here, the store's password stands where its processes find it, and nowhere else."""
    password = split_password(store)[1] if is_url(store) else None
    before = os.environ.get("PGPASSWORD")
    if password is not None:
        os.environ["PGPASSWORD"] = password
    try:
        yield
    finally:
        if password is not None:
            os.environ.pop("PGPASSWORD")
            os.environ.update({} if before is None else {"PGPASSWORD": before})


def validate_nodes(ray: Any, *, store: str) -> list[Node]:
    """Those that can work; an `InputError` that names the one which cannot."""
    nodes = [
        Node(each["NodeID"], each["NodeManagerHostname"], int(each["Resources"].get("CPU", 0)))
        for each in ray.nodes()
        if each["Alive"]
    ]
    if not is_url(store) and (len(nodes) > 1 or any(node.name != platform.node() for node in nodes)):
        raise SettingsError(
            option("--store", store),
            f"is a file on this machine, and the cluster has {len(nodes)} {'node' if len(nodes) == 1 else 'nodes'}",
            "use a store that all of them reach: postgresql://USER@HOST/DATABASE",
        )
    _validate_versions(ray, nodes)
    return nodes


def here() -> str:
    return metadata.version("adjudge")


def _validate_versions(ray: Any, nodes: list[Node]) -> None:
    """With a function of the standard library, which is there also where adjudge is not."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # noqa: PLC0415 - as above

    asked: Mapping[Any, Node] = {
        ray.remote(metadata.version)
        .options(num_cpus=0, scheduling_strategy=NodeAffinitySchedulingStrategy(node.node_id, soft=False))
        .remote("adjudge"): node
        for node in nodes
    }
    own = here()
    for reference, node in asked.items():
        try:
            found = ray.get(reference, timeout=CONNECT_SECONDS)
        except ray.exceptions.RayTaskError:
            raise _wrong_node(node, "adjudge is not installed there") from None
        except (ray.exceptions.RayError, TimeoutError) as error:
            raise _wrong_node(node, f"it does not answer ({type(error).__name__})") from None
        if found != own:
            raise _wrong_node(node, f"it has adjudge {found}, and this is {own}")


def _wrong_node(node: Node, problem: str) -> InputError:
    return InputError(
        f"node {node.name} of the Ray cluster",
        problem,
        f"install adjudge {__version__} there, with the extras that this run needs",
    )
