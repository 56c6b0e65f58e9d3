"""The page on the config file has every key, what it can do, and which options exclude each other. `ADJUDGE_UPDATE_DOCS=1` writes the table."""

import os
from collections import defaultdict
from pathlib import Path

from adjudge.cli.flags import Flag
from adjudge.cli.main import all_commands, cli
from adjudge.models.names import FILE_PARAMETERS
from adjudge.options.exclusions import EXCLUSIONS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "config.md"
MARK = "<!-- made by: ADJUDGE_UPDATE_DOCS=1 pytest tests/docs/test_docs_config.py -->\n"
UPDATE = bool(os.environ.get("ADJUDGE_UPDATE_DOCS"))


def table():
    found, sets = defaultdict(list), {}
    for path, command in all_commands(cli):
        for option in command.params:
            if isinstance(option, Flag):
                found[option.keys, option.config.words].append(path)
                sets.setdefault(option.keys, option.help.removesuffix("."))
    yield "| key | commands | what it sets | what a file may say |\n|---|---|---|---|\n"
    for (keys, words), commands in sorted(found.items()):
        names = " or ".join(f"`{key}`" for key in keys)
        yield f"| {names} | {', '.join(commands)} | {sets[keys]} | {words} |\n"
    yield "\n| provider | parameters that `param` may set in a file |\n|---|---|\n"
    for provider, names in FILE_PARAMETERS.items():
        yield f"| `{provider}:` | {', '.join(f'`{name}`' for name in sorted(names))} |\n"
    yield "\n| option | cannot be combined with | requires | because |\n|---|---|---|---|\n"
    for rule in EXCLUSIONS:
        others = ", ".join(f"`{other}`" for other in rule.excludes)
        needed = f"`{rule.requires}`" if rule.requires else ""
        yield f"| `{rule.option}` | {others} | {needed} | {rule.why} |\n"


def test_the_page_has_every_key_and_what_a_file_can_do_with_it():
    text = PAGE.read_text(encoding="utf-8")
    written = text.partition(MARK)[0] + MARK + "\n" + "".join(table())
    if UPDATE:
        PAGE.write_text(written, encoding="utf-8")
    else:
        assert text == written, "ADJUDGE_UPDATE_DOCS=1 pytest tests/docs/test_docs_config.py"
