"""`adjudge view` from the terminal: what it prints, what it refuses, how it ends."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit

import pytest

from adjudge.errors import install_command


@pytest.fixture
def started(tmp_path):
    """A server in the empty folder, and the address that it printed."""
    command = [
        str(Path(sys.executable).with_name("adjudge")),
        "view",
        "--no-browser",
        "--port",
        str(free_port()),
    ]
    with subprocess.Popen(
        [*command, "--token-file", "token"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as process:
        line = process.stderr.readline()
        yield process, re.search(r"http://\S+", line)[0]
        if process.poll() is None:
            process.kill()


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def on_loopback(address):
    """Browsers find the pages' host on this machine; Python asks the system, which may not know it."""
    return f"http://127.0.0.1:{urlsplit(address).port}/"


def test_it_prints_an_address_that_opens_and_ends_well_with_ctrl_c(started, tmp_path):
    process, address = started
    token = (tmp_path / "token").read_text().strip()
    assert address.endswith(f"?token={token}")
    if os.name == "posix":
        assert (tmp_path / "token").stat().st_mode & 0o077 == 0
    assert re.match(r"http://[0-9a-f]{32}\.localhost:\d+/", address)
    request = urllib.request.Request(on_loopback(address), headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request) as answer:
        assert "Nothing has been judged into this store yet" in answer.read().decode()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 0
    assert "server stopped" in said
    assert "Traceback" not in said


@pytest.mark.skipif(os.name != "posix", reason="the stand-in for a browser is a shell script")
def test_the_token_is_in_a_private_file_and_not_among_the_browsers_arguments(tmp_path):
    """What a program is started with stands in the process list for everybody."""
    browser = tmp_path / "browser"
    browser.write_text(
        '#!/bin/sh\nprintf "%s\\n" "$@" > arguments\nfile="${1#file://}"\nls -ld "$(dirname "$file")" > folder\n'
        'cp "$file" opened.html\n'
    )
    browser.chmod(0o700)
    command = [Path(sys.executable).with_name("adjudge"), "view", "--port", str(free_port())]
    with subprocess.Popen(
        [*command, "--token-file", "token"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "BROWSER": str(browser)},
    ) as process:
        try:
            url = re.search(r"http://[^?]+", process.stderr.readline())[0]
            with pytest.raises(HTTPError, match="401"):  # it answers once the browser was started
                urllib.request.urlopen(on_loopback(url), timeout=30)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)
        finally:
            process.kill()
    token = (tmp_path / "token").read_text().strip()
    (opened,) = (tmp_path / "arguments").read_text().split()
    assert token not in opened
    assert f"?token={token}" in (tmp_path / "opened.html").read_text()
    assert (tmp_path / "folder").read_text().startswith("drwx------")
    assert not Path(opened.removeprefix("file://")).exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nosuch"], "run nosuch: is not in"),
        (["--judge", "nofile.md"], "nofile.md: is neither a built-in judge nor a file"),
        (["--token-file", "short"], "has no valid token"),
        (["--token-file", "no/such/folder"], "cannot be used"),
    ],
)
def test_what_cannot_be_served_is_said_with_what_to_do(adjudge, tmp_path, arguments, said):
    (tmp_path / "short").write_text("abc\n")
    done = adjudge("view", "--no-browser", *arguments)
    assert done.code == 2
    assert said in done.err
    assert "hint:" in done.err


def test_a_port_in_use_is_said(adjudge):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = adjudge("view", "--no-browser", "--port", taken.getsockname()[1])
    assert done.code == 2
    assert "cannot be used" in done.err


def test_without_the_extra_it_says_what_to_install(adjudge, tmp_path):
    (tmp_path / "starlette.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'starlette'\", name='starlette')\n"
    )
    done = adjudge("view", "--no-browser", environ={"PYTHONPATH": str(tmp_path)}, process=True)
    assert done.code == 2
    assert f"hint: {install_command('web')}" in done.err
