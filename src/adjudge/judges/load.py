"""Files -> Judge: find the file that is meant, and read it unless it was read before."""

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from adjudge.errors import JudgeFileError
from adjudge.judges.front_matter import body_of, normalize_text
from adjudge.judges.prepared import PREPARED
from adjudge.records import CombineScore, Judge, PromptMessage
from adjudge.text import closest
from adjudge.versions import READER_VERSION, SCORER_VERSIONS

BUILT_IN = Path(__file__).with_name("built_in")
"""One file for each built-in judge; replaced versions go to `old/`, which keeps them loadable as `name@hash`."""
MAX_BYTES = 8 * 1024 * 1024
MAX_DEPTH_PARTS = 8
"""Combinations of combinations."""
MAX_SIGNS = 64
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
    known = _load_built_in(reference)
    if known is not None:
        return known
    found = _find_file(root, reference)
    if found is None:
        raise _unknown(reference, root, tuple(path.stem for path in _files_in(BUILT_IN)))
    return _load_file(found)


def _load_built_in(reference: str) -> Judge | None:
    name, at, wanted = reference.partition("@")
    shipped = {path.stem: path for path in _files_in(BUILT_IN)}
    if name in shipped:
        current = _shipped(shipped[name])
        return _versioned(name, wanted, current) if at else current
    return None


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


class PartLoader(NamedTuple):
    """Finds the judges that a combination names: built-in ones, and files in the folder of its own file or below it."""

    folder: Path | None = None
    """None where the text came from no file: then only built-in judges can be named."""
    chain: tuple[Path, ...] = ()
    """The files that led here."""

    def __call__(self, reference: str, *, name: str, where: str) -> Judge:
        if "\n" in reference:  # a judge file written into this one, as a store keeps it
            if len(self.chain) >= MAX_DEPTH_PARTS:
                raise JudgeFileError(
                    where, f"combinations are nested more than {MAX_DEPTH_PARTS} deep", "flatten them"
                )
            nested = self._replace(chain=(*self.chain, Path(name)))
            return _parse(
                reference, name=name, where=f"{where}, `{name}`", prompt=None, suffix="", load_part=nested
            )
        known = _load_built_in(reference)
        if known is not None:
            return known
        found = self._find(reference)
        if found is None:
            names = ", ".join(path.stem for path in _files_in(BUILT_IN))
            nearby = [] if self.folder is None else _nearby("", self.folder)
            files = f"; files beside this one: {', '.join(nearby[:8])}" if nearby else ""
            raise JudgeFileError(
                where,
                f"`{reference}` is neither a built-in judge nor a file beside this one",
                f"built-in: {names}{files}",
            )
        path = found.path.resolve()
        if path in self.chain:
            way = " → ".join(each.name for each in (*self.chain[self.chain.index(path) :], path))
            problem = "names itself" if path == self.chain[-1] else f"leads back to itself: {way}"
            raise JudgeFileError(where, f"`{reference}` {problem}", "combine other judges")
        return _load_file(found, chain=self.chain)

    def _find(self, reference: str) -> FoundFile | None:
        """Nothing outside the folder: a judge file from elsewhere must not name a path of this machine."""
        if self.folder is None:
            return None
        inside = self.folder.resolve()
        for written in (reference, f"{reference}.md"):
            found = _find_file(self.folder, written)
            if found is not None and found.path.resolve().is_relative_to(inside):
                return found
        return None


def prompt_names(reference: str, *, folder: Path | None = None) -> tuple[str, ...]:
    """The names of the prompts of a file that holds several; empty for any other judge."""
    root = Path() if folder is None else folder
    found = _find_file(root, reference)
    shipped = {path.stem for path in _files_in(BUILT_IN)}
    if found is None or found.prompt is not None or reference.partition("@")[0] in shipped:
        return ()
    from adjudge.judges import parse  # noqa: PLC0415 - slow

    return parse.names_of_prompts(
        _read_file(found.path, reference), where=reference, suffix=found.data_suffix
    )


def parse_judge(text: str, *, name: str, where: str | None = None, prompt: str | None = None) -> Judge:
    """A judge from its text; `where` is what messages call it, `prompt` which of several prompts in it is meant."""
    return _parse(
        text,
        name=name,
        where=name if where is None else where,
        prompt=prompt,
        suffix="",
        load_part=PartLoader(),
    )


def parse_kept_judge(text: str, *, name: str) -> Judge:
    """A judge from the text that a store keeps of it.

    Earlier versions read every text as one message; one that is no chat prompt or export now stays one.
    """
    try:
        return parse_judge(text, name=name)
    except JudgeFileError:
        from adjudge.judges import parse  # noqa: PLC0415 - slow

        return parse.read_one_message(text, name=name)


def _parse(
    text: str, *, name: str, where: str, prompt: str | None, suffix: str, load_part: PartLoader
) -> Judge:
    known = _prepared(text) if prompt is None and not suffix else None
    if known is not None:
        return known
    from adjudge.judges import parse  # noqa: PLC0415 - what reads prompts is slow, and a prepared one needs none of it

    return parse.read_judge(text, name=name, where=where, prompt=prompt, suffix=suffix, load_part=load_part)


def _prepared(text: str) -> Judge | None:
    """The judge of a text that was read before adjudge was packed: the text of a built-in judge."""
    normal = normalize_text(text)
    judge = PREPARED.get(prepared_key(normal))
    if judge is None:
        return None
    body = body_of(normal, where=judge.name)
    message = PromptMessage(role="user", text=body, dialect=judge.dialect)
    return replace(judge, messages=(message,), text=normal)


def prepared_key(normal: str) -> str:
    """What a judge is kept under: its text, and the versions that enter its hash."""
    known = f"{READER_VERSION} {sorted(SCORER_VERSIONS.items())} {normal}"
    return hashlib.sha256(known.encode(errors="surrogatepass")).hexdigest()


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
    from adjudge.judges.identity import judge_hash  # noqa: PLC0415 - slow, as is the next

    if passes is not None:
        from adjudge.judges.assembly.score import validate_pass_rule  # noqa: PLC0415
        from adjudge.judges.declared import Declared  # noqa: PLC0415

        validate_pass_rule(passes, judge.contract, Declared(where=f"pass rule of {judge.name}"))
    if isinstance(judge.score, CombineScore):
        # `--pass` is about the combined score, the others about what its parts are asked
        parts = {
            name: override(part, temperature=temperature, max_output_tokens=max_output_tokens)
            for name, part in judge.score.parts.items()
        }
        judge = replace(judge, score=replace(judge.score, parts=parts))
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


def _find_file(root: Path, reference: str) -> FoundFile | None:
    """The file that is meant, and the prompt in it that `FILE#name` names; a path that exists goes first."""
    if _is_file(root / reference, reference):
        return FoundFile(root / reference, reference)
    signs = [position for position, mark in enumerate(reference) if mark == "#"]
    for position in signs[:MAX_SIGNS]:
        file = reference[:position]
        if _is_file(root / file, file):
            return FoundFile(root / file, file, reference[position + 1 :])
    return None


def _load_file(found: FoundFile, chain: tuple[Path, ...] = ()) -> Judge:
    text = _read_file(found.path, found.written)
    return _parse(
        text,
        name=found.path.stem,
        where=found.written,
        prompt=found.prompt,
        suffix=found.data_suffix,
        load_part=PartLoader(found.path.parent, (*chain, found.path.resolve())),
    )


def _read_file(path: Path, where: str) -> str:
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise JudgeFileError(
                where,
                f"it has {size} bytes; a judge file has {MAX_BYTES} at most",
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
