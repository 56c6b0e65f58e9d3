"""Two Ctrl-C always end a command, and reading a judge takes no longer than its limit."""

import signal
import subprocess
import sys

import pytest

from adjudge.cli.interrupts import reading_limit
from adjudge.errors import InputError

BUSY_LOOP = """
import asyncio
from adjudge.cli.interrupts import Interrupts

class Session:
    def stop(self, why):
        raise SystemExit("the loop was not busy")

    cancel = stop

async def main():
    with Interrupts(Session()) as interrupts:
        print("busy", flush=True)
        while not interrupts.seen:
            pass
        print("first", flush=True)
        while True:
            pass

asyncio.run(main())
"""
BUSY_COMMAND = """
from adjudge.cli.interrupts import end_at_second_interrupt

end_at_second_interrupt()
try:
    print("busy", flush=True)
    while True:
        pass
except KeyboardInterrupt:
    print("first", flush=True)
    while True:
        pass
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send")
@pytest.mark.parametrize("code", [BUSY_LOOP, BUSY_COMMAND], ids=["event loop", "command"])
def test_a_second_interrupt_ends_a_process_that_is_busy(code):
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    for line in ("busy", "first"):
        assert process.stdout.readline().strip() == line
        process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode in {-signal.SIGINT, 130}


def read_for_ever():
    with reading_limit("judge x.md", seconds=0.01):
        while True:
            pass


@pytest.fixture(
    params=[signal.default_int_handler, signal.SIG_IGN, signal.SIG_DFL], ids=["usual", "ignored", "default"]
)
def handler(request):
    """What SIGINT does before; it is ignored under `nohup`."""
    before = signal.signal(signal.SIGINT, request.param)
    yield request.param
    signal.signal(signal.SIGINT, before)


def test_reading_ends_at_its_limit_with_what_to_do(handler):
    with pytest.raises(InputError) as caught:
        read_for_ever()
    assert signal.getsignal(signal.SIGINT) == handler
    assert caught.value.where == "judge x.md"
    assert caught.value.problem == "could not be read within 0.01 seconds"
    assert "fewer tags" in caught.value.hint


def test_an_interrupt_before_the_limit_stays_one():
    with pytest.raises(KeyboardInterrupt), reading_limit("judge x.md"):
        raise KeyboardInterrupt
