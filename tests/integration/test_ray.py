"""`--engine ray`: a run on the workers of a cluster, where processes die, under limits that hold over all of them.

Machines that die, and drivers, are in `benchmarks/cluster.py`: a cluster of three nodes takes a minute to start.
"""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

import adjudge as library
from adjudge.errors import InputError, MissingExtraError, SettingsError
from adjudge.options import make_options
from adjudge.runs.cluster.connect import connected
from adjudge.runs.plan import make_plan
from adjudge.store import open_store
from adjudge.store.places import split_password
from adjudge.testing import ModelServer, ServerReply

GOOD = json.dumps({"reason": "It answers the question.", "score": 4})
CASES = [{"id": f"c{n}", "question": "q", "response": f"answer {n}."} for n in range(200)]
IDS = [case["id"] for case in CASES]
KEY = "sk-driver-0123456789"


@pytest.fixture(scope="module")
def ray_node(cluster):
    """One node with two cores, whose processes have the store's password from whoever started them, and no key."""
    ray = pytest.importorskip("ray")
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["PGPASSWORD"] = split_password(cluster.url)[1]
    folder = tempfile.mkdtemp(prefix="adjudge-ray-")  # the paths of its sockets must be short
    ray.init(
        address="local",
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        object_store_memory=80_000_000,
        _temp_dir=folder,
    )
    del os.environ["PGPASSWORD"]
    yield folder
    ray.shutdown()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def on_ray(ray_node, database):
    def evaluate(server, **options):
        keywords = {"model": "openai:x", "base_url": server.openai_url, "store": database, "name": "r"}
        keywords |= {"jobs": 8, "workers": 2, "engine": "ray"}
        return library.evaluate(CASES, "relevance", **keywords | options)

    return evaluate


def answers_asked(server):
    return Counter(request.prompt.split("answer ")[1].split(".")[0] for request in server.requests)


def workers_alive():
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    return [int(line.split()[0]) for line in listed.splitlines() if "ray::BlockWorker" in line]


def test_every_case_is_judged_once_though_a_worker_dies_and_no_secret_is_sent_or_logged(
    ray_node, on_ray, database, monkeypatch
):
    from ray import cloudpickle

    killed, events = threading.Event(), threading.Lock()
    sent = []
    dumps = cloudpickle.dumps

    def remember(value, **more):
        sent.append(dumps(value, **more))
        return sent[-1]

    def answer(request):
        del request
        with events:
            if len(server.requests) > 60 and not killed.is_set():
                killed.set()
                os.kill(workers_alive()[0], signal.SIGKILL)
        return GOOD

    monkeypatch.setattr(cloudpickle, "dumps", remember)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ModelServer(handler=answer) as server:
        run = on_ray(server)
        asked = answers_asked(server)
        assert KEY not in str([request.headers for request in server.requests])
    assert killed.is_set()
    assert [judgement.case_id for judgement in run] == IDS
    assert {judgement.outcome.kind for judgement in run} == {"scored"}
    assert len(asked) == len(IDS)
    assert sum(asked.values()) - len(IDS) <= 8
    with closing(open_store(database)) as store:
        assert store.find_run("r").state == "finished"
        assert [judgement.case_id for judgement in store.judgements("r")] == IDS
    assert any(b"Assignment" in data for data in sent)
    logs = [path.read_bytes() for path in Path(ray_node).rglob("*.*") if path.is_file()]
    assert logs
    password = split_password(database)[1]
    for secret in (KEY, password, quote(password)):
        assert not any(secret.encode() in data for data in (*sent, *logs))


def test_limits_hold_over_all_workers_and_the_run_goes_on_without_them(on_ray, database):
    with ModelServer(replies=ServerReply(text=GOOD)) as server:
        run = on_ray(server, max_calls=100, rpm=60_000)
        assert 80 <= len(server.requests) <= 100
        assert run.partial is not None
        with closing(open_store(database)) as store:
            assert store.find_run("r").state == "limit_reached"
            assert store.spending("r").calls <= 100
        assert on_ray(server, max_calls=1_000, engine="local").partial is None
        assert len(server.requests) == len(IDS)


def test_a_file_can_be_the_store_of_one_node_and_a_function_the_model(on_ray, tmp_path):
    with ModelServer(replies=ServerReply(text=GOOD)) as server:
        run = on_ray(
            server,
            model=lambda _: '{"reason": "r", "score": 3}',
            base_url=None,
            store=tmp_path / "store",
            workers=1,
        )
        assert not server.requests
    assert {judgement.outcome.score.value for judgement in run} == {3}


def test_what_a_worker_lacks_is_said_with_the_node_s_name(on_ray, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ModelServer(replies=ServerReply(text=GOOD)) as server, pytest.raises(InputError) as caught:
        on_ray(server, base_url=None, max_calls=1, workers=1)
    assert "OPENAI_API_KEY is not set" in str(caught.value)
    assert f"on {os.uname().nodename}" in str(caught.value)


def test_a_function_that_cannot_be_sent_is_refused(on_ray):
    lock = threading.Lock()

    def model(prompt):
        with lock:
            return GOOD if prompt else ""

    with (
        ModelServer(replies=ServerReply(text=GOOD)) as server,
        pytest.raises(SettingsError, match="the model cannot be sent to workers"),
    ):
        on_ray(server, model=model, base_url=None)


def test_a_node_with_another_version_is_named(on_ray, monkeypatch):
    monkeypatch.setattr("adjudge.runs.cluster.connect.here", lambda: "999")
    with ModelServer(replies=ServerReply(text=GOOD)) as server:
        with pytest.raises(
            InputError, match=r"node .* of the Ray cluster: it has adjudge .*, and this is 999"
        ):
            on_ray(server)
        assert not server.requests


def test_a_file_as_store_is_refused_where_another_machine_works(on_ray, tmp_path, monkeypatch):
    monkeypatch.setattr("platform.node", lambda: "somewhere-else")
    with (
        ModelServer(replies=ServerReply(text=GOOD)) as server,
        pytest.raises(SettingsError, match="is a file on this machine, and the cluster has 1 node"),
    ):
        on_ray(server, store=tmp_path / "store")


# ---- what is said before a cluster is reached ----


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"store": None}, "requires store="),
        ({"shard": "1/2", "name": "n"}, "hands out the cases itself"),
        ({"cascade": "a:b,c:d", "labels": "cases"}, "learns from the labelled cases"),
    ],
)
def test_what_a_cluster_cannot_do_is_said_at_once(options, told):
    with pytest.raises(SettingsError, match=told):
        make_plan(["correctness"], make_options(engine="ray", **options))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"parameters": {"api_key": "sk-secret-0123456789"}}, "holds a secret"),
        ({"base_url": "http://user:hidden-password@127.0.0.1:9/v1"}, "holds a password"),
    ],
)
def test_secrets_are_not_sent_to_a_cluster(options, told, tmp_path):
    with pytest.raises(SettingsError, match=told) as caught:
        library.evaluate(
            CASES, "relevance", **{"model": "openai:x", "engine": "ray", "store": tmp_path / "s"} | options
        )
    assert "hidden-password" not in str(caught.value)
    assert "sk-secret" not in str(caught.value)


def test_without_the_extra_it_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[ray\]"):
        library.evaluate(CASES, "relevance", model=lambda _: GOOD, engine="ray", store=tmp_path / "s")


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("ray://127.0.0.1:1", "Connection refused"),
        ("http://127.0.0.1:80", "is not an address of a Ray cluster"),
        ("ray://nowhere", "is not an address of a Ray cluster"),
        ("ray://:99999999", "is not an address of a Ray cluster"),
    ],
)
def test_an_address_where_nobody_answers_is_an_error_with_what_to_do(address, told, monkeypatch, tmp_path):
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with pytest.raises(SettingsError, match=told):
        library.evaluate(
            CASES, "relevance", model=lambda _: GOOD, engine="ray", ray_address=address, store=tmp_path / "s"
        )


def test_usage_statistics_are_off_and_a_connection_of_the_program_s_own_is_left_open(ray_node):
    import asyncio

    import ray

    async def work():
        async with connected("local", "store.db") as cluster:
            return cluster.ray

    assert asyncio.run(work()) is ray
    assert ray.is_initialized()
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
