"""The real template engines, which our dialects are compared with: npm packages, pinned in `package-lock.json`."""

import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

HERE = Path(__file__).parent
INSTALL_SECONDS = 300
RENDER_SECONDS = 300


def installed() -> Path:
    """The folder with `node_modules` for this very lock file, made by `npm ci` when it is not there.

    It is built aside and moved into its place, so that two test processes do not build in one folder.
    """
    if not shutil.which("npm") or not shutil.which("node"):
        pytest.skip("node and npm are not installed")
    digest = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()[:16]
    target = HERE / "node_modules" / digest
    if target.is_dir():
        return target
    target.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as made:
        folder = Path(made) / digest
        folder.mkdir()
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, folder)
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--omit=optional"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=INSTALL_SECONDS)
        try:
            folder.rename(target)
        except OSError:  # another test process was faster
            if not target.is_dir():
                raise
    return target


@pytest.fixture
def node_render():
    """`node_render(library, pairs)`: what an npm library makes of each template and values, as {text} or {error}."""

    def render(library, pairs):
        lines = [json.dumps({"template": template, "values": values}) for template, values in pairs]
        done = subprocess.run(
            ["node", HERE / "render.js", library],
            cwd=installed(),
            input="\n".join(lines),
            encoding="utf-8",
            capture_output=True,
            check=False,
            timeout=RENDER_SECONDS,
        )
        assert done.returncode == 0, done.stderr
        results = [json.loads(line) for line in done.stdout.split("\n") if line]
        assert len(results) == len(pairs), done.stderr
        return results

    return render
