"""A plain Python function as a model: text in, text out, sync or async."""

import asyncio
import functools
import inspect
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

from adjudge.errors import ModelCallError, ModelNameError, RejectedError
from adjudge.models.secrets import Scrubber, one_line
from adjudge.records import Completion, ModelClient, ModelFunction, Prompt, Request

PROVIDER = "function"
MAX_NAME_CHARS = 200


def to_client(model: ModelClient | ModelFunction, *, jobs: int) -> ModelClient:
    """What was given as `model=` from Python: a client as it is, a function behind one."""
    if isinstance(model, ModelClient):
        return model
    if hasattr(model, "complete"):
        return CallersClient(model)
    if callable(model):
        return FunctionClient(model, jobs=jobs)
    raise ModelNameError(
        "model",
        f"a Python {type(model).__name__} cannot answer",
        "give the name of a model, a function of a prompt (text in, text out) or a ModelClient",
    )


def prompt_text(prompt: Prompt) -> str:
    """One message is its text; of several each stands under its role."""
    if len(prompt.messages) == 1:
        return prompt.messages[0].content
    return "\n\n".join(f"{message.role}:\n{message.content}" for message in prompt.messages)


class CallersClient(ModelClient):
    """An object of the caller's with a `name` and a `complete` that inherits nothing of ours; the caller closes it."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.name: str = client.name
        for offered in ("base_url", "within_run", "answers_by_case", "reads_fields"):
            if hasattr(client, offered):
                setattr(self, offered, getattr(client, offered))

    def __repr__(self) -> str:
        return repr(self._client)

    def request_key(self, request: Request) -> str | None:
        own = getattr(self._client, "request_key", None)
        return own(request) if callable(own) else None

    async def complete(self, request: Request) -> Completion:
        completion: Completion = await self._client.complete(request)
        return completion

    async def close(self) -> None:
        """Whoever made it ends it."""


class FunctionClient(ModelClient):
    """Replies are kept for the run that asked: nothing tells whether another run's function is still the same.

    A function with an attribute `adjudge_version` says so itself, and its replies are reused as any model's are.
    """

    def __init__(self, function: Callable[[Any], Any], *, jobs: int) -> None:
        self._function = function
        self._jobs = jobs
        self._takes_request = _takes_request(function)
        self._is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004 - the method itself: an instance may have an async one
        )
        version = getattr(function, "adjudge_version", None)
        self.within_run = version is None
        self.name = f"{PROVIDER}:{_name(function)}" + (
            "" if version is None else f"@{one_line(str(version))}"
        )
        self._threads: ThreadPoolExecutor | None = None

    async def complete(self, request: Request) -> Completion:
        asked = request if self._takes_request else prompt_text(request.prompt)
        start = time.perf_counter()
        try:
            reply = await (self._function(asked) if self._is_async else self._in_thread(asked))
        except ModelCallError:
            raise
        except Exception as error:
            raise RejectedError(
                Scrubber().message(f"{self.name} raised {type(error).__name__}: {error}")
            ) from error
        if isinstance(reply, Completion):
            return reply
        if not isinstance(reply, str):
            raise RejectedError(f"{self.name} returned a {type(reply).__name__}; wanted text")
        return Completion(text=reply, latency_ms=(time.perf_counter() - start) * 1000)

    async def close(self) -> None:
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)

    async def _in_thread(self, asked: Request | str) -> Any:
        """In a thread of its own, so that as many calls are in flight as the run allows."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(max_workers=self._jobs, thread_name_prefix="adjudge-model")
        call = functools.partial(copy_context().run, self._function, asked)
        reply = await asyncio.get_running_loop().run_in_executor(self._threads, call)
        return (
            await reply if inspect.isawaitable(reply) else reply
        )  # such as `lambda prompt: client.ask(prompt)`


def _name(function: object) -> str:
    """`module.name`; of a partial the function inside, of an instance its class."""
    while isinstance(function, functools.partial):
        function = function.func
    named = function if hasattr(function, "__qualname__") else type(function)
    return one_line(f"{named.__module__}.{getattr(named, '__qualname__', '')}")[:MAX_NAME_CHARS]


def _takes_request(function: Callable[..., Any]) -> bool:
    try:
        parameters = list(inspect.signature(function, eval_str=True).parameters.values())
    except (
        ValueError,
        TypeError,
        NameError,
    ):  # a built-in, or annotations that only a type checker can resolve
        return False
    return bool(parameters) and parameters[0].annotation is Request
