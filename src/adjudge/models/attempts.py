"""How many HTTP requests an error stands for, so that a call's attempts add up over its failures too."""

from adjudge.errors import ModelCallError

ATTEMPTS = "attempts"


def set_attempts(error: ModelCallError, attempts: int) -> None:
    """Say on the error how many HTTP requests were made for nothing."""
    setattr(error, ATTEMPTS, attempts)


def attempts_of(error: ModelCallError) -> int:
    """How many HTTP requests were made before this error; 1 where the client does not say."""
    attempts = getattr(error, ATTEMPTS, 1)
    return attempts if isinstance(attempts, int) else 1
