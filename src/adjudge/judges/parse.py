"""The text of a judge file -> Judge: its front matter, the prompts in it, and what the one that is meant says."""

import re

from adjudge import templates
from adjudge.errors import JudgeFileError, TemplateError
from adjudge.judges.assembly.assemble import assemble, detect_dialect
from adjudge.judges.declared import Declared, read_declared
from adjudge.judges.exports import WrittenMessage, WrittenPrompt
from adjudge.judges.front_matter import SplitFile, body_of, normalize_text, split_front_matter
from adjudge.judges.in_code import LoadPart, assemble_in_code
from adjudge.judges.prompt_files import pick_prompt, read_prompts
from adjudge.records import Judge


def read_judge(
    text: str, *, name: str, where: str, load_part: LoadPart, prompt: str | None = None, suffix: str = ""
) -> Judge:
    """`prompt`: which of several is meant. A file of JSON or YAML, which its suffix tells, is read as such or refused."""
    normal = _normal(text, where)
    split = _split(normal, where, suffix)
    declared = read_declared(split.front_matter, where=where)
    in_code = assemble_in_code(declared, split, name=name, text=normal, load_part=load_part)
    if in_code is not None:
        return in_code
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


def read_one_message(text: str, *, name: str) -> Judge:
    """A judge whose text, whatever it looks like, is one message."""
    normal = normalize_text(text)
    split = split_front_matter(normal, where=name)
    written = WrittenPrompt(messages=(WrittenMessage(role="user", text=split.body),))
    declared = read_declared(split.front_matter, where=name)
    try:
        return assemble(declared, written, name=name, where=name, text=normal)
    except TemplateError as error:
        raise _placed(error, split, declared, written, name) from None


def names_of_prompts(text: str, *, where: str, suffix: str) -> tuple[str, ...]:
    """The names of the prompts of a text that holds several; empty where it holds one."""
    normal = _normal(text, where)
    prompts = read_prompts(normal if suffix else body_of(normal, where=where), where=where, suffix=suffix)
    return tuple(prompt.name or "" for prompt in prompts) if len(prompts) > 1 else ()


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
