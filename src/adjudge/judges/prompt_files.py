"""A file's text -> the prompts in it: a plain prompt, a chat prompt, an export of another tool, or several of these.

What a tool's export looks like is known by its keys, so a file may also be a mixture of them. Text that is none of these
is one prompt of one user message, as it stands.
"""

import json
import re

from msgspec.structs import replace

from adjudge.errors import JudgeFileError
from adjudge.judges.exports import (
    YAML_LIST,
    WrittenMessage,
    WrittenPrompt,
    prompts_in,
    role_blocks,
    text_message,
    written_prompt,
)
from adjudge.judges.front_matter import read_yaml_value
from adjudge.records import Json
from adjudge.text import did_you_mean

MAX_PROMPTS = 1000
MAX_MESSAGES = 256
_YAML_KEY = re.compile(
    r"^(?:messages|prompt|prompts|template|rubricPrompt|defaultTest|tests)[ \t]*:[ \t]*(?:[|>][-+0-9]{0,2}[ \t]*)?$",
    re.MULTILINE,
)
_YAML_FIRST = re.compile(r"\A(?:[ \t]*(?:#[^\n]*)?\n)*+[A-Za-z_][\w-]*[ \t]*:(?:[ \t]|$)", re.MULTILINE)


def read_prompts(text: str, *, where: str, suffix: str = "") -> tuple[WrittenPrompt, ...]:
    """The prompts of a text without front matter, named apart where there are several."""
    for read in (_from_json, _from_json_lines, _from_yaml):
        found = read(text, where, suffix)
        if found:
            break
    else:
        found = [WrittenPrompt(messages=role_blocks(text) or (WrittenMessage(role="user", text=text),))]
    for prompt in found:
        if len(prompt.messages) > MAX_MESSAGES:
            raise JudgeFileError(
                where,
                f"a prompt in it has {len(prompt.messages)} messages; {MAX_MESSAGES} at most are read",
                "use fewer",
            )
    return _named(found, where)


def pick_prompt(prompts: tuple[WrittenPrompt, ...], name: str | None, *, where: str) -> WrittenPrompt:
    """The one of that name; an error that lists the names where it is not there, or where one must be chosen."""
    if name is None:
        if len(prompts) == 1:
            return prompts[0]
        raise JudgeFileError(
            where, f"it holds {len(prompts)} prompts", f"name one of them: {_listed(prompts, where)}"
        )
    for prompt in prompts:
        if prompt.name == name or (len(prompts) == 1 and prompt.name is None and name == "1"):
            return prompt
    if name.isascii() and name.isdigit() and 1 <= int(name[:6]) <= len(prompts):
        return prompts[int(name[:6]) - 1]
    names = [prompt.name or "1" for prompt in prompts]
    raise JudgeFileError(
        f"{where}#{name}",
        f"there is no prompt `{name}` in it",
        did_you_mean(name, names, f"there are: {_listed(prompts, where)}"),
    )


def _listed(prompts: tuple[WrittenPrompt, ...], where: str, most: int = 20) -> str:
    shown = ", ".join(f"`{where}#{prompt.name or '1'}`" for prompt in prompts[:most])
    return shown if len(prompts) <= most else f"{shown} and {len(prompts) - most} more"


def _named(found: list[WrittenPrompt], where: str) -> tuple[WrittenPrompt, ...]:
    """Each with a name of its own: its number where it has none, its number after the name where two share one."""
    if len(found) == 1:
        return (found[0],)
    if len(found) > MAX_PROMPTS:
        raise JudgeFileError(
            where, f"it holds {len(found)} prompts; {MAX_PROMPTS} at most are read", "divide the file"
        )
    taken: set[str] = set()
    named = []
    for number, prompt in enumerate(found, 1):
        name = (prompt.name or "").strip() or str(number)
        if name in taken:
            name = f"{name}-{number}"
        taken.add(name)
        named.append(replace(prompt, name=name))
    return tuple(named)


# ---- the forms of a file -------------------------------------------------------------------------------


def _from_json(text: str, where: str, suffix: str) -> list[WrittenPrompt]:
    """A file that is one JSON value; nothing where it is none, or one that holds no prompt."""
    if text.lstrip()[:1] not in {"[", "{"}:
        return []
    try:
        value = _load_json(text)
    except ValueError as error:
        if suffix == ".json":
            raise JudgeFileError(
                where, f"it is not JSON that can be read: {error}", "correct it, or save the prompt as .txt"
            ) from None
        return []
    return _whole(value, where, suffix)


def _from_json_lines(text: str, where: str, suffix: str) -> list[WrittenPrompt]:
    """One prompt on each line. A text that only begins with a line of JSON is a prompt."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if suffix != ".jsonl" and (len(lines) < 2 or any(line.lstrip()[:1] not in "[{" for _, line in lines)):
        return []
    found: list[WrittenPrompt] = []
    for number, line in lines:
        try:
            prompts = prompts_in(_load_json(line), None)
        except ValueError as error:
            if suffix != ".jsonl":
                return []
            raise JudgeFileError(
                f"{where} line {number}",
                f"it is not JSON that can be read: {error}",
                "write one prompt as JSON on each line",
            ) from None
        if not prompts and suffix != ".jsonl":
            return []
        if not prompts:
            raise _no_prompt(f"{where} line {number}")
        found += prompts
    return found


def _from_yaml(text: str, where: str, suffix: str) -> list[WrittenPrompt]:
    """YAML is read as such where the file says so, or where it begins as a list of messages or a known key does.

    Any prompt with a colon in it is YAML of a kind, so nothing less is taken for it.
    """
    declared = suffix in {".yaml", ".yml"}
    likely = YAML_LIST.match(text) or (_YAML_FIRST.match(text) and _YAML_KEY.search(text))
    if not declared and not likely:
        return []
    try:
        value = read_yaml_value(text, where=where)
    except JudgeFileError:
        if declared or YAML_LIST.match(text):
            raise
        return []
    return _whole(value, where, suffix)


def _whole(value: Json, where: str, suffix: str) -> list[WrittenPrompt]:
    found = list(prompts_in(value, None))
    if not found and suffix in {".json", ".yaml", ".yml"}:
        if isinstance(value, dict) and value and all(isinstance(text, str) for text in value.values()):
            return [
                written_prompt(text_message(text), key, {"name": key, "prompt": text})
                for key, text in value.items()
                if str(text).strip()
            ]
        raise _no_prompt(where)
    return found


def _no_prompt(where: str) -> JudgeFileError:
    return JudgeFileError(
        where,
        "no prompt was found in it",
        "wanted: a list of messages with `role` and `content`, or an object with `messages`, `prompt` or `template`",
    )


def _load_json(text: str) -> Json:
    try:
        value: Json = json.loads(text)
    except RecursionError:
        raise ValueError("its brackets are nested too deep") from None
    return value
