"""What pip and uv are told is followed; credentials are kept apart from addresses."""

import os

import pytest

from adjudge.embedded.indexes import (
    DEFAULT_INDEX,
    Address,
    parse_pip_settings,
    pip_environment,
    read_pip_settings,
    read_sources,
    words,
)


@pytest.fixture
def bare(tmp_path):
    return {
        "UV_CONFIG_FILE": str(tmp_path / "uv.toml"),
        "PIP_CONFIG_FILE": os.devnull,
        "HOME": str(tmp_path),
    }


def test_with_nothing_said_the_default_index_is_used(bare):
    assert read_sources(bare, pip={}).indexes == (DEFAULT_INDEX,)


@pytest.mark.parametrize(
    ("environ", "pip", "indexes"),
    [
        ({}, {"index-url": "https://a/simple"}, ("https://a/simple",)),
        ({}, {"extra-index-url": "https://a/s\nhttps://b/s"}, (DEFAULT_INDEX, "https://a/s", "https://b/s")),
        ({"UV_DEFAULT_INDEX": "https://u/s"}, {}, ("https://u/s",)),
        ({"UV_INDEX_URL": "https://u/s", "UV_INDEX": "work=https://w/s"}, {}, ("https://u/s", "https://w/s")),
        ({"UV_INDEX_URL": "https://a/s"}, {"index-url": "https://a/s"}, ("https://a/s",)),
        ({}, {"no-index": "true", "index-url": "https://a/s"}, ()),
    ],
)
def test_a_named_index_replaces_the_default_and_extra_ones_come_after(bare, environ, pip, indexes):
    assert read_sources({**bare, **environ}, pip=pip).indexes == indexes


def test_the_persons_uv_file_counts(bare, tmp_path):
    (tmp_path / "uv.toml").write_text(
        '[[index]]\nurl = "https://main/s"\ndefault = true\n[[index]]\nname = "x"\nurl = "https://more/s"\n'
    )
    assert read_sources(bare, pip={}).indexes == ("https://main/s", "https://more/s")


def test_a_broken_uv_file_is_passed_over(bare, tmp_path):
    (tmp_path / "uv.toml").write_text("= no toml")
    assert read_sources(bare, pip={}).indexes == (DEFAULT_INDEX,)


def test_certificates_proxy_and_folders_come_along(bare):
    found = read_sources(bare, pip={"cert": "/c.pem", "proxy": "http://p:1", "find-links": "/a /b"})
    assert (found.certificates, found.proxy, found.links) == ("/c.pem", "http://p:1", ("/a", "/b"))


def test_pips_answer_is_read_and_the_environment_wins():
    lines = [
        ":env:.index-url='https://env/s'",
        "WARNING: something",
        "global.index-url='https://file/s'",
        "global.extra-index-url='https://a/s\\nhttps://b/s'",
        "install.no-index='true'",
        "global.broken=no quotes here",
    ]
    found = parse_pip_settings(lines)
    assert found["index-url"] == "https://env/s"
    assert words(found["extra-index-url"]) == ["https://a/s", "https://b/s"]
    assert "no-index" not in found
    assert "broken" not in found


def test_pip_is_asked(bare, tmp_path):
    (tmp_path / "pip.conf").write_text("[global]\nindex-url = https://conf/s\n")
    found = read_pip_settings(
        {**bare, "PIP_CONFIG_FILE": str(tmp_path / "pip.conf"), "PIP_PROXY": "http://p:1"}
    )
    assert (found["index-url"], found["proxy"]) == ("https://conf/s", "http://p:1")


@pytest.mark.parametrize("name", ["pip.py", "pip/__main__.py", "sitecustomize.py", "usercustomize.py"])
def test_pip_is_not_a_file_of_the_current_folder_and_gets_no_key(bare, tmp_path, monkeypatch, name):
    stolen = tmp_path / "stolen"
    planted = tmp_path / "clone" / name
    planted.parent.mkdir(parents=True)
    planted.write_text(f"import os\nopen({str(stolen)!r}, 'w').write(repr(dict(os.environ)))\n")
    if planted.parent.name == "pip":
        planted.with_name("__init__.py").touch()
    monkeypatch.chdir(tmp_path / "clone")
    (tmp_path / "clone" / "pip.conf").write_text("[global]\nindex-url = https://conf/s\n")
    environ = {**bare, "PIP_CONFIG_FILE": "pip.conf", "PYTHONPATH": ".", "OPENAI_API_KEY": "sk-secret"}
    assert read_pip_settings(environ)["index-url"] == "https://conf/s"
    assert not stolen.exists()


def test_pip_gets_its_own_settings_and_no_other_variable():
    environ = {"PIP_INDEX_URL": "https://i/s", "https_proxy": "http://p:1", "HOME": "/h", "MY_TOKEN": "t"}
    keys = {"OPENAI_API_KEY": "k", "PGPASSWORD": "p", "AWS_SECRET_ACCESS_KEY": "a", "PYTHONPATH": "."}
    assert pip_environment({**environ, **keys}) == {
        "PIP_INDEX_URL": "https://i/s",
        "https_proxy": "http://p:1",
        "HOME": "/h",
    }


def test_credentials_leave_the_address():
    address = Address.of("https://me:p%40ss@host:8443/simple/x/")
    assert address.url == "https://host:8443/simple/x/"
    assert address.authorization == "Basic bWU6cEBzcw=="
    assert address.for_link("https://host:8443/files/x.whl").authorization == address.authorization
    assert address.for_link("https://other/files/x.whl").authorization is None
    assert address.for_link("http://host:8443/files/x.whl").authorization is None


def test_netrc_opens_its_host(tmp_path, monkeypatch):
    (tmp_path / ".netrc").write_text("machine host.example login me password pw\n")
    (tmp_path / ".netrc").chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Address.of("https://host.example/simple/").authorization == "Basic bWU6cHc="
    assert Address.of("https://else.example/simple/").authorization is None
