"""Files -> Judge: read, check, hash."""

import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from adjudge import templates
from adjudge.errors import JudgeFileError, TemplateError
from adjudge.judges.assemble import assemble, check_pass_rule, detect_dialect
from adjudge.judges.declared import Declared, read_declared
from adjudge.judges.exports import WrittenMessage, WrittenPrompt
from adjudge.judges.front_matter import SplitFile, normalize_text, split_front_matter
from adjudge.judges.identity import judge_hash
from adjudge.judges.prompt_files import pick_prompt, read_prompts
from adjudge.records import Judge
from adjudge.text import closest

BUILT_IN = Path(__file__).with_name("built_in")
"""One file for each built-in judge; replaced versions go to `old/`, which keeps them loadable as `name@hash`."""
LARGEST_BYTES = 8 * 1024 * 1024
MOST_SIGNS = 64
"""How many `#` of `FILE#name` may belong to the file's name."""
_DATA_SUFFIXES = (".json", ".jsonl", ".yaml", ".yml")
_SUFFIXES = (
    ".md",
    ".txt",
    ".prompt",
    ".promptl",
    ".jinja",
    ".j2",
    ".mustache",
    ".handlebars",
    ".hbs",
    ".tmpl",
    *_DATA_SUFFIXES,
)


def load_judge(reference: str | Path, *, folder: Path | None = None) -> Judge:
    """The judge of that name, `name@hash` or file; a path is taken from `folder`, the current one when not given."""
    root = Path() if folder is None else folder
    if isinstance(reference, Path):
        return _load_file(_find_file(root, str(reference)) or FoundFile(root / reference, str(reference)))
    name, at, wanted = reference.partition("@")
    shipped = {path.stem: path for path in _files_in(BUILT_IN)}
    if name in shipped:
        current = _shipped(shipped[name])
        return _versioned(name, wanted, current) if at else current
    found = _find_file(root, reference)
    if found is None:
        raise _unknown(reference, root, tuple(shipped))
    return _load_file(found)


def prompt_names(reference: str, *, folder: Path | None = None) -> tuple[str, ...]:
    """The names of the prompts of a file that holds several; empty for any other judge."""
    root = Path() if folder is None else folder
    found = _find_file(root, reference)
    shipped = {path.stem for path in _files_in(BUILT_IN)}
    if found is None or found.prompt is not None or reference.partition("@")[0] in shipped:
        return ()
    split = _split(_normal(_read_file(found.path, reference), reference), reference, found.data_suffix)
    prompts = read_prompts(split.body, where=reference, suffix=found.data_suffix)
    return tuple(prompt.name or "" for prompt in prompts) if len(prompts) > 1 else ()


def parse_judge(text: str, *, name: str, where: str | None = None, prompt: str | None = None) -> Judge:
    """A judge from its text; `where` is what messages call it, `prompt` which of several prompts in it is meant."""
    return _parse(text, name=name, where=name if where is None else where, prompt=prompt, suffix="")


def parse_kept_judge(text: str, *, name: str) -> Judge:
    """A judge from the text that a store keeps of it.

    Earlier versions read every text as one message; one that is no chat prompt or export now stays one.
    """
    try:
        return parse_judge(text, name=name)
    except JudgeFileError:
        split = split_front_matter(normalize_text(text), where=name)
        written = WrittenPrompt(messages=(WrittenMessage(role="user", text=split.body),))
        declared = read_declared(split.front_matter, where=name)
        try:
            return assemble(declared, written, name=name, where=name, text=normalize_text(text))
        except TemplateError as error:
            raise _placed(error, split, declared, written, name) from None


def _parse(text: str, *, name: str, where: str, prompt: str | None, suffix: str) -> Judge:
    """A file of JSON or YAML, which its suffix tells, is read as such or refused."""
    normal = _normal(text, where)
    split = _split(normal, where, suffix)
    declared = read_declared(split.front_matter, where=where)
    prompts = read_prompts(split.body, where=where, suffix=suffix)
    written = pick_prompt(prompts, prompt, where=where)
    if written.name is not None:
        name = f"{name}-{written.name}" if written.name.isdigit() else written.name
    own_text = normal
    if written.source is not None and (len(prompts) > 1 or suffix):
        own_text = normal[: len(normal) - len(split.body)] + written.source
    try:
        return assemble(declared, written, name=name, where=where, text=own_text)
    except TemplateError as error:
        raise _placed(error, split, declared, written, where) from None


def _split(normal: str, where: str, suffix: str) -> SplitFile:
    """Front matter and body; a file that is data has no front matter."""
    if suffix:
        return SplitFile(None, normal, 1)
    return split_front_matter(normal, where=where)


def _normal(text: str, where: str) -> str:
    normal = normalize_text(text)
    if "\x00" in normal:
        raise JudgeFileError(
            where, "it contains NUL characters: this is not a text file", "name a prompt or a judge file"
        )
    return normal


def _placed(
    error: TemplateError, split: SplitFile, declared: Declared, written: WrittenPrompt, where: str
) -> JudgeFileError:
    """The same error with the file it is in, and the line counted from the file's first."""
    line = re.fullmatch(r"line (\d+)", error.where)
    if line is None:
        return JudgeFileError(where, f"{error.where}: {error.problem}", error.hint)
    dialect = declared.dialect or written.dialect or detect_dialect(written)
    for message in written.messages:
        try:
            templates.inputs(message.text, dialect)
        except TemplateError:
            place = f"{where}, {message.role} message line {line[1]}"
            if message.text == split.body:
                place = f"{where} line {int(line[1]) + split.body_line - 1}"
            return JudgeFileError(place, error.problem, error.hint)
    return JudgeFileError(f"{where}, `items:` prompt line {line[1]}", error.problem, error.hint)


def built_in_judges() -> tuple[Judge, ...]:
    """The judges that come with adjudge, by name: one file each, called as the judge is."""
    return tuple(map(_shipped, _files_in(BUILT_IN)))


def _files_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.md"))


@lru_cache(maxsize=64)
def _shipped(path: Path) -> Judge:
    judge = parse_judge(path.read_text(encoding="utf-8"), name=path.stem, where=path.name)
    return replace(judge, built_in=True)


def override(
    judge: Judge,
    *,
    passes: str | None = None,
    temperature: float | None = None,
    max_output_tokens: int | None = None,
) -> Judge:
    """The judge with these settings in place of its own, under the hash that belongs to them."""
    if passes is not None:
        check_pass_rule(passes, judge.contract, Declared(where=f"pass rule of {judge.name}"))
    changed = replace(
        judge,
        passes=judge.passes if passes is None else passes.strip(),
        temperature=judge.temperature if temperature is None else temperature,
        max_output_tokens=judge.max_output_tokens if max_output_tokens is None else max_output_tokens,
    )
    return replace(changed, hash=judge_hash(changed))


# ---- finding -------------------------------------------------------------------------------------------


def _versioned(name: str, wanted: str, current: Judge) -> Judge:
    versions = [
        current,
        *(judge for judge in map(_shipped, _files_in(BUILT_IN / "old")) if judge.name == name),
    ]
    found = [judge for judge in versions if wanted and judge.hash.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    known = ", ".join(f"{judge.name}@{judge.hash}" for judge in versions)
    problem = (
        f"there is no version `{wanted}` of `{name}`"
        if not found
        else f"`{wanted}` matches several versions of `{name}`"
    )
    raise JudgeFileError(f"judge {name}@{wanted}", problem, f"known: {known}")


def _is_file(path: Path, reference: str) -> bool:
    try:
        return bool(reference) and path.exists() and not path.is_dir()
    except (OSError, ValueError):  # a name too long, or one with a NUL
        return False


class FoundFile(NamedTuple):
    path: Path
    written: str
    """The path as it was given, for messages."""
    prompt: str | None = None
    """The one of several prompts in it that is meant."""

    @property
    def data_suffix(self) -> str:
        """The suffix of a file that is read as data; empty for a text."""
        suffix = self.path.suffix.lower()
        return suffix if suffix in _DATA_SUFFIXES else ""


def _find_file(root: Path, reference: str) -> FoundFile | None:
    """The file that is meant, and the prompt in it that `FILE#name` names; a path that exists goes first."""
    if _is_file(root / reference, reference):
        return FoundFile(root / reference, reference)
    signs = [position for position, mark in enumerate(reference) if mark == "#"]
    for position in signs[:MOST_SIGNS]:
        file = reference[:position]
        if _is_file(root / file, file):
            return FoundFile(root / file, file, reference[position + 1 :])
    return None


def _load_file(found: FoundFile) -> Judge:
    text = _read_file(found.path, found.written)
    return _parse(
        text, name=found.path.stem, where=found.written, prompt=found.prompt, suffix=found.data_suffix
    )


def _read_file(path: Path, where: str) -> str:
    try:
        size = path.stat().st_size
        if size > LARGEST_BYTES:
            raise JudgeFileError(
                where,
                f"it has {size} bytes; a judge file has {LARGEST_BYTES} at most",
                "name a prompt or a judge file",
            )
        raw = path.read_bytes()
    except OSError as error:
        raise JudgeFileError(
            where, f"cannot be read: {error.strerror or error}", "check the path and its permissions"
        ) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise JudgeFileError(
            f"{where} line {line}", f"byte {raw[error.start]:#04x} is not UTF-8", "save the file as UTF-8"
        ) from None


def _unknown(reference: str, root: Path, names: tuple[str, ...]) -> JudgeFileError:
    nearby = _nearby(reference, root)
    bare = reference.partition("@")[0]
    files = {Path(item).name: item for item in reversed(nearby)}
    close = closest(bare, names) or files.get(closest(Path(reference).name, files) or "")
    hint = f"did you mean `{close}`? " if close else ""
    return JudgeFileError(
        f"judge {reference}" if reference else "judge",
        "is neither a built-in judge nor a file",
        f"{hint}built-in: {', '.join(names)}" + (f"; files here: {', '.join(nearby[:8])}" if nearby else ""),
    )


def _nearby(reference: str, root: Path) -> list[str]:
    """Judge-like files in the folder that the reference points into."""
    parent = Path(reference).parent if reference and "\x00" not in reference else Path()
    try:
        entries = sorted(entry.name for entry in (root / parent).iterdir() if entry.suffix in _SUFFIXES)
    except (OSError, ValueError):
        return []
    return [str(parent / name) if str(parent) != "." else name for name in entries[:200]]
