"""Run many calls against a server that misbehaves, over real HTTP on loopback, with waits a hundred times as short."""

import asyncio
import random
import shutil
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field

import pytest

from adjudge.errors import ModelCallError
from adjudge.models import Circuit, Governor, RetryingClient, RetryPolicy, open_model
from adjudge.models.clients.pace import Pace
from adjudge.records import Completion, Message, Prompt, Request

HURRY = 100


class HurriedClock:
    """A second takes ten milliseconds."""

    def now(self):
        return time.monotonic() * HURRY

    async def sleep(self, seconds):
        await asyncio.sleep(seconds / HURRY)


@dataclass
class Result:
    counts: Counter = field(default_factory=Counter)
    """`ok`, or the error's kind -> how many calls."""
    completions: list[Completion] = field(default_factory=list)
    errors: list[ModelCallError] = field(default_factory=list)
    client: RetryingClient = None

    @property
    def attempts(self):
        return sum(completion.attempts for completion in self.completions)


def make_request(number):
    return Request(
        prompt=Prompt(messages=(Message(role="user", content=f"case {number}"),)),
        schema=None,
        case_id=f"c{number}",
        judge="j",
    )


@pytest.fixture
def run_calls():
    """So many calls, `jobs` at a time as a run makes them; with `first_alone` one has succeeded before the rest start."""

    def run(
        base_url,
        calls,
        *,
        jobs=8,
        first_alone=True,
        model="openai:m",
        environ=None,
        timeout_seconds=5.0,
        deadline_seconds=None,
        **governing,
    ):
        async def work():
            clock, result = HurriedClock(), Result()
            governor = Governor(jobs=jobs, clock=clock, pace=Pace(clock=clock, **governing))
            inner = open_model(
                model,
                base_url=base_url,
                environ=environ or {},
                timeout_seconds=timeout_seconds,
                connections=jobs,
            )
            result.client = client = RetryingClient(
                inner,
                governor=governor,
                policy=RetryPolicy(call_deadline_seconds=deadline_seconds),
                circuit=Circuit(jobs=jobs, clock=clock),
                clock=clock,
                chance=random.Random(3),
            )
            left = iter(range(calls))

            async def worker(most=calls):
                for number, _ in zip(left, range(most), strict=False):
                    try:
                        result.completions.append(await client.complete(make_request(number)))
                        result.counts["ok"] += 1
                    except ModelCallError as error:
                        result.errors.append(error)
                        result.counts[error.kind] += 1

            try:
                if first_alone:
                    await client.complete(make_request("first"))
                await asyncio.gather(*(worker() for _ in range(jobs)))
            finally:
                await client.close()
            assert governor.in_flight == 0
            return result

        return asyncio.run(work())

    return run


@pytest.fixture(scope="session")
def self_signed(tmp_path_factory):
    """A certificate for 127.0.0.1 that nobody vouches for, and its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no `openssl` command to make a certificate with")
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, key
