"""What of a judge is only likely, and the front-matter lines that settle it."""

from adjudge.errors import JudgeFileError
from adjudge.judges.judge_file import SETTLES, front_matter_lines
from adjudge.records import Judge


def check_certain(judge: Judge) -> None:
    """Refuse a judge of which something is only likely, and say which lines settle it."""
    if judge.guesses:
        lines = dict.fromkeys(f"`{settled_by(judge, guess)}`" for guess in judge.guesses)
        raise JudgeFileError(
            judge.name,
            f"a guess was made about {', '.join(judge.guesses)}, and `--strict` allows none",
            f"settle it in front matter: {', '.join(lines)}",
        )


def settled_by(judge: Judge, guess: str) -> str:
    """The front-matter line that turns a guess into something known, filled with what was guessed."""
    key = guess.partition(".")[0]
    key = SETTLES.get(key, key)
    return front_matter_lines(judge).get(key, f"{key}: …")
