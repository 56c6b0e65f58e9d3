"""Every error we raise; imports nothing of ours."""

import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import Distribution


class AdjudgeError(Exception):
    """Root of what we raise on purpose; anything else is a bug: exit 70, its traceback kept in a file.

    InputError       the person can fix it      exit 2    DatasetError, JudgeFileError, TemplateError, ExpressionError,
                                                          ModelNameError, SettingsError, NotComparableError, RunInUseError,
                                                          MissingExtraError
    ModelCallError   the model service can      exit 3    RateLimitedError, UnavailableError: worth another try
                                                          ParameterRefusedError: at once, without that parameter
                                                          RejectedError, UnauthorizedError, TooLongError,
                                                          NotAskedError: not
    StoreError       the operator can           exit 4
    """


class ExplainedError(AdjudgeError):
    """Says where, what was seen and what was wanted, and what to do next."""

    def __init__(self, where: str, problem: str, hint: str, *, between: str = ": ") -> None:
        self.told = f"{where}{between}{problem}"
        super().__init__(f"{self.told}\n\nhint: {hint}")
        self.where = where
        self.problem = problem
        self.hint = hint


class InputError(ExplainedError):
    """The person can fix it."""


class DatasetError(InputError):
    """The cases cannot be read, or not without guessing."""


class JudgeFileError(InputError):
    """A judge file cannot be read as one."""

    MAX_CHARS = 4000
    """Characters: a message quotes the file, and a hostile one has long lines."""

    def __init__(self, where: str, problem: str, hint: str) -> None:
        super().__init__(
            where,
            *(
                text if len(text) <= self.MAX_CHARS else f"{text[: self.MAX_CHARS]}…"
                for text in (problem, hint)
            ),
        )


class TemplateError(InputError):
    """A prompt is not well formed in its dialect, or its output grows past the bound."""


class ExpressionError(InputError):
    """A score or pass rule is not one we compute."""


class ModelNameError(InputError):
    """No model of that name can be opened as things stand."""


class SettingsError(InputError):
    """A flag, an environment variable or a line of adjudge.toml is not usable."""


class OptionsError(SettingsError):
    """Options that exclude each other, or one without another that it needs."""

    def __init__(self, where: str, problem: str, hint: str, *, options: tuple[str, ...]) -> None:
        super().__init__(where, problem, hint, between=" ")
        self.options = options
        """As flags, however the caller writes them."""


class NotComparableError(InputError):
    """Two runs were not judged alike; what can be done about it."""

    def __init__(
        self, where: str, problem: str, hint: str, *, across: bool = False, by_pair: bool = False
    ) -> None:
        super().__init__(where, problem, hint)
        self.across = across
        """They can be compared all the same."""
        self.by_pair = by_pair
        """A judge of one can be compared with a judge of the other."""


class RunInUseError(InputError):
    """Another process judges this run."""


class MissingExtraError(InputError):
    """An optional package is needed for what was asked."""

    def __init__(self, where: str, extra: str) -> None:
        super().__init__(where, f"needs the `{extra}` extra", install_command(extra))
        self.extra = extra


def install_command(
    extra: str, *, distribution: "Distribution | None" = None, prefix: Path = Path(sys.prefix)
) -> str:
    """The command that adds an extra, in the way adjudge was installed: from a folder, a file, an address or an index.

    The bare name is suggested only where adjudge came from an index by that name: elsewhere it may be somebody else's.
    """
    from importlib import metadata  # noqa: PLC0415 - slow, and few errors need it

    try:
        found = distribution or metadata.distribution("adjudge")
        source = json.loads(found.read_text("direct_url.json") or "{}")
        installer = (found.read_text("INSTALLER") or "").strip()
    except (metadata.PackageNotFoundError, OSError, ValueError):  # the code itself, never installed
        source, installer = {"url": Path(__file__).parents[2].as_uri(), "dir_info": {}}, ""
    if (prefix / "uv-receipt.toml").is_file():
        command = "uv tool install"
    elif (prefix / "pipx_metadata.json").is_file():
        command = "pipx install --force"
    else:
        command = "uv pip install" if installer == "uv" else "pip install"
    if source.get("dir_info", {}).get("editable"):
        command += " -e"
    return f"{command} {shlex.quote(_requirement(extra, source))}"


def _requirement(extra: str, source: Mapping[str, Any]) -> str:
    """`source` as in `direct_url.json` (PEP 610); empty for an index."""
    url = str(source.get("url", ""))
    if not url:
        return f"adjudge[{extra}]"
    if url.startswith("file:") and "vcs_info" not in source:
        from urllib.request import url2pathname  # noqa: PLC0415 - slow, and few errors need it

        path = Path(url2pathname(url.removeprefix("file://")))
        return f"{'.' if path == Path.cwd() else path}[{extra}]"
    if version_control := source.get("vcs_info"):
        revision = version_control.get("requested_revision")
        url = f"{version_control['vcs']}+{url}" + (f"@{revision}" if revision else "")
    return f"adjudge[{extra}] @ {url}"


class ModelCallError(AdjudgeError):
    """The model did not speak. `kind` is stable and ends up in the row's `error.kind`."""

    kind = "call_failed"
    retryable = False

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        retry_after_seconds: float | None = None,
        maybe_billed: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.retry_after_seconds = retry_after_seconds
        self.maybe_billed = maybe_billed
        """The model may have answered before the answer was lost, so that what it cost is unknown."""
        self.attempts = 1
        """How often it was tried."""


class RateLimitedError(ModelCallError):
    kind = "rate_limited"
    retryable = True


class UnavailableError(ModelCallError):
    """5xx, 408, 409, a reset, a timeout, half a body: the same request may go through later."""

    kind = "unavailable"
    retryable = True


class RejectedError(ModelCallError):
    """The service understood and said no (400, 404 …)."""

    kind = "rejected"


class ParameterRefusedError(ModelCallError):
    """The service does not take a parameter of the request. From now on the client leaves it out or renames it, so that the
    same request may go through at once.
    """

    kind = "rejected"
    retryable = True

    def __init__(
        self,
        message: str,
        *,
        status: int,
        lifts_limit: bool = False,
        max_output_tokens: int | None = None,
    ) -> None:
        super().__init__(message, status=status)
        self.lifts_limit = lifts_limit
        """What is left out is the limit on the length of replies."""
        self.max_output_tokens = max_output_tokens
        """What this request's limit is to be lowered to; None: it stays."""


class AccountExhaustedError(RejectedError):
    """The account has no credit left, or has reached its own limit on spending: waiting does not fill it."""

    kind = "account_exhausted"


class UnauthorizedError(ModelCallError):
    kind = "unauthorized"


class TooLongError(ModelCallError):
    """The prompt does not fit the model's context."""

    kind = "too_long"


class NotAskedError(ModelCallError):
    """Nothing was sent, or nothing more: a limit of the run would be passed. `kind` says which."""

    kind = "not_asked"


class BudgetSpentError(NotAskedError):
    kind = "budget"


class DeadlinePassedError(NotAskedError):
    kind = "deadline"


class StoreError(ExplainedError):
    """The place where judgements are kept is full, locked, damaged or newer than this version."""
