"""The hint that adds an extra fits how adjudge was installed."""

import json
from importlib.metadata import Distribution

import pytest

from adjudge.errors import install_command


@pytest.fixture
def installed(tmp_path):
    """A distribution as an installer leaves it."""

    def installed(source=None, installer="pip"):
        folder = tmp_path / "adjudge-0.1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: adjudge\nVersion: 0.1.0\n")
        (folder / "INSTALLER").write_text(f"{installer}\n")
        if source is not None:
            (folder / "direct_url.json").write_text(json.dumps(source))
        return Distribution.at(folder)

    return installed


@pytest.mark.parametrize(
    ("source", "command"),
    [
        (None, "pip install 'adjudge[web]'"),
        (
            {"url": "file:///src/my%20clone", "dir_info": {"editable": True}},
            "pip install -e '/src/my clone[web]'",
        ),
        ({"url": "file:///src/clone", "dir_info": {}}, "pip install '/src/clone[web]'"),
        (
            {"url": "file:///d/adjudge-0.1.0-py3-none-any.whl", "archive_info": {}},
            "pip install '/d/adjudge-0.1.0-py3-none-any.whl[web]'",
        ),
        (
            {
                "url": "https://example.test/adjudge.git",
                "vcs_info": {"vcs": "git", "requested_revision": "v1", "commit_id": "ab"},
            },
            "pip install 'adjudge[web] @ git+https://example.test/adjudge.git@v1'",
        ),
        (
            {"url": "https://example.test/adjudge-0.1.0.tar.gz", "archive_info": {}},
            "pip install 'adjudge[web] @ https://example.test/adjudge-0.1.0.tar.gz'",
        ),
    ],
)
def test_the_name_is_suggested_only_where_it_was_installed_by_it(installed, source, command, tmp_path):
    assert install_command("web", distribution=installed(source), prefix=tmp_path) == command


def test_inside_the_folder_it_was_installed_from_the_command_is_short(installed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = {"url": tmp_path.as_uri(), "dir_info": {}}
    assert install_command("web", distribution=installed(source), prefix=tmp_path) == "pip install '.[web]'"


@pytest.mark.parametrize(
    ("mark", "installer", "command"),
    [
        ("uv-receipt.toml", "uv", "uv tool install"),
        ("pipx_metadata.json", "pip", "pipx install --force"),
        ("pyvenv.cfg", "uv", "uv pip install"),
        ("pyvenv.cfg", "pip", "pip install"),
    ],
)
def test_the_program_is_the_one_it_was_installed_with(installed, tmp_path, mark, installer, command):
    (tmp_path / mark).touch()
    hint = install_command("web", distribution=installed(installer=installer), prefix=tmp_path)
    assert hint == f"{command} 'adjudge[web]'"
