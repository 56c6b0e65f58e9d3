"""Files -> Judge: read, check, hash."""

import re
from functools import lru_cache
from pathlib import Path

from msgspec.structs import replace

from adjudge import templates
from adjudge.errors import JudgeFileError, TemplateError
from adjudge.judges.assemble import assemble, check_pass_rule
from adjudge.judges.declared import Declared, read_declared
from adjudge.judges.front_matter import SplitFile, normalize_text, split_front_matter
from adjudge.judges.identity import judge_hash
from adjudge.records import Judge
from adjudge.text import closest

BUILT_IN = Path(__file__).with_name("built_in")
"""One file for each built-in judge; replaced versions go to `old/`, which keeps them loadable as `name@hash`."""
LARGEST_BYTES = 8 * 1024 * 1024
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
)


def load_judge(reference: str | Path, *, folder: Path | None = None) -> Judge:
    """The judge of that name, `name@hash` or file; a path is taken from `folder`, the current one when not given."""
    root = Path() if folder is None else folder
    if isinstance(reference, Path):
        return _load_file(root / reference, str(reference))
    name, at, wanted = reference.partition("@")
    shipped = {path.stem: path for path in _files_in(BUILT_IN)}
    if name in shipped:
        current = _shipped(shipped[name])
        return _versioned(name, wanted, current) if at else current
    path = root / reference
    if _is_file(path, reference):
        return _load_file(path, reference)
    raise _unknown(reference, root, tuple(shipped))


def parse_judge(text: str, *, name: str, where: str | None = None) -> Judge:
    """A judge from its text; `where` is what messages call it."""
    where = name if where is None else where
    normal = normalize_text(text)
    if "\x00" in normal:
        raise JudgeFileError(
            where, "it contains NUL characters: this is not a text file", "name a prompt or a judge file"
        )
    split = split_front_matter(normal, where=where)
    declared = read_declared(split.front_matter, where=where)
    try:
        return assemble(declared, split.body, name=name, where=where, text=normal)
    except TemplateError as error:
        raise _placed(error, split, declared, where) from None


def _placed(error: TemplateError, split: SplitFile, declared: Declared, where: str) -> JudgeFileError:
    """The same error with the file it is in, and the line counted from the file's first."""
    line = re.fullmatch(r"line (\d+)", error.where)
    if line is None:
        return JudgeFileError(where, f"{error.where}: {error.problem}", error.hint)
    try:
        templates.inputs(split.body, declared.dialect or templates.detect(split.body))
    except TemplateError:
        return JudgeFileError(f"{where} line {int(line[1]) + split.body_line - 1}", error.problem, error.hint)
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


def _load_file(path: Path, where: str) -> Judge:
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
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise JudgeFileError(
            f"{where} line {line}", f"byte {raw[error.start]:#04x} is not UTF-8", "save the file as UTF-8"
        ) from None
    return parse_judge(text, name=path.stem, where=where)


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
