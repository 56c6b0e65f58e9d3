"""The server's half of the batch APIs of OpenAI and Anthropic: files, batches and their results, kept in memory."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

Answer = Callable[[str, Mapping[str, Any]], tuple[int | None, Any]]
"""Wire format and body of a request -> status and body of the answer; no status: it was never worked on."""
Step = Literal["file", "created", "looked", "listed", "results"]


class UnknownIdError(Exception):
    """Of a file or a batch that the server does not have."""


def is_batch_path(path: str) -> bool:
    return not {"batches", "files"}.isdisjoint(urlsplit(path).path.split("/"))


@dataclass(kw_only=True, slots=True)
class ServedBatch:
    id: str
    wire: str
    metadata: Mapping[str, str]
    results: list[tuple[str, int | None, Any]]
    """Custom id, status and body of each of its requests."""
    created_at: float = field(default_factory=time.time)
    looks: int = 0
    cancelled: bool = False


class ServedBatches:
    """`looks`: a batch has ended when it is looked at so often."""

    def __init__(self, answer: Answer, *, looks: int) -> None:
        self.served: list[ServedBatch] = []
        self.files: dict[str, bytes] = {}
        self._answer = answer
        self._looks = looks

    def respond(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[Step, bytes] | None:
        """What was done, and the body of the answer; None where the path is none of a batch API."""
        parts = urlsplit(path)
        names = [name for name in parts.path.split("/") if name]
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        match method, names:
            case "POST", [*_, "files"]:
                return self._json("file", self._keep_file(headers["content-type"], body))
            case "GET", [*_, "files", file, "content"]:
                return ("results", self._file(file))
            case "POST", [*_, "messages", "batches"]:
                lines = json.loads(body)["requests"]
                return self._json("created", self._make("anthropic", lines, "params", {}))
            case "GET", [*_, "messages", "batches", batch_id, "results"]:
                found = [_anthropic_result(*result) for result in self._find(batch_id).results]
                return ("results", b"\n".join(found) + b"\n")
            case "POST", [*_, "batches"]:
                asked = json.loads(body)
                lines = [json.loads(line) for line in self._file(asked["input_file_id"]).splitlines()]
                return self._json("created", self._make("openai", lines, "body", asked.get("metadata") or {}))
            case "GET", [*before, "batches"]:
                wire = "anthropic" if before[-1:] == ["messages"] else "openai"
                return self._json("listed", self._page(wire, query))
            case "POST", [*_, "batches", batch_id, "cancel"]:
                self._find(batch_id).cancelled = True
                return self._json("looked", self._shown(self._find(batch_id)))
            case "GET", [*_, "batches", batch_id]:
                self._find(batch_id).looks += 1
                return self._json("looked", self._shown(self._find(batch_id)))
        return None

    @staticmethod
    def _json(step: Step, found: Mapping[str, Any]) -> tuple[Step, bytes]:
        return step, json.dumps(found).encode()

    def _find(self, batch_id: str) -> ServedBatch:
        for batch in self.served:
            if batch.id == batch_id:
                return batch
        raise UnknownIdError(batch_id)

    def _file(self, name: str) -> bytes:
        if name not in self.files:
            raise UnknownIdError(name)
        return self.files[name]

    def _keep_file(self, content_type: str, body: bytes) -> dict[str, Any]:
        boundary = content_type.partition("boundary=")[2].encode()
        part = next(part for part in body.split(b"--" + boundary) if b'name="file"' in part)
        name = f"file-{len(self.files)}"
        self.files[name] = part.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n")
        return {"id": name, "object": "file", "purpose": "batch"}

    def _make(
        self, wire: str, lines: list[Mapping[str, Any]], name: str, metadata: Mapping[str, str]
    ) -> dict[str, Any]:
        answered = [(line["custom_id"], *self._answer(wire, line[name])) for line in lines]
        batch = ServedBatch(id=f"batch_{len(self.served)}", wire=wire, metadata=metadata, results=answered)
        self.served.append(batch)
        return self._shown(batch)

    def _page(self, wire: str, query: Mapping[str, str]) -> dict[str, Any]:
        """The newest first."""
        listed = [batch for batch in reversed(self.served) if batch.wire == wire]
        after = query.get("after") or query.get("after_id")
        if after is not None:
            listed = listed[[batch.id for batch in listed].index(after) + 1 :]
        most = int(query.get("limit", "20"))
        return {"data": [self._shown(batch) for batch in listed[:most]], "has_more": len(listed) > most}

    def _shown(self, batch: ServedBatch) -> dict[str, Any]:
        ended = batch.looks >= self._looks or batch.cancelled
        statuses = [None if batch.cancelled else status for _, status, _ in batch.results]
        good = statuses.count(200) if ended else 0
        untouched = statuses.count(None)
        bad = len(statuses) - untouched - statuses.count(200) if ended else 0
        if batch.wire == "anthropic":
            created = datetime.fromtimestamp(batch.created_at, UTC).isoformat()
            counts = {"succeeded": good, "errored": bad, "expired": untouched if ended else 0, "canceled": 0}
            counts["processing"] = len(statuses) - sum(counts.values())
            status = "ended" if ended else "in_progress"
            return {
                "id": batch.id,
                "processing_status": status,
                "request_counts": counts,
                "created_at": created,
            }
        found: dict[str, Any] = {
            "id": batch.id,
            "object": "batch",
            "status": "in_progress",
            "metadata": batch.metadata,
            "created_at": int(batch.created_at),
            "request_counts": {"total": len(statuses), "completed": good, "failed": bad},
        }
        if ended:
            found["status"] = "cancelled" if batch.cancelled else "expired" if untouched else "completed"
            for name, is_good in (("output_file_id", True), ("error_file_id", False)):
                lines = [
                    _openai_result(custom_id, status, body)
                    for (custom_id, _, body), status in zip(batch.results, statuses, strict=True)
                    if (status == 200) is is_good
                ]
                if lines:
                    found[name] = f"{batch.id}-{name}"
                    self.files[found[name]] = b"\n".join(lines) + b"\n"
        return found


def _openai_result(custom_id: str, status: int | None, body: Any) -> bytes:
    response = None if status is None else {"status_code": status, "body": body}
    error = {"code": "batch_expired", "message": "it was not done in time"} if status is None else None
    return json.dumps({"custom_id": custom_id, "response": response, "error": error}).encode()


def _anthropic_result(custom_id: str, status: int | None, body: Any) -> bytes:
    if status is None:
        result: dict[str, Any] = {"type": "expired"}
    elif status == 200:
        result = {"type": "succeeded", "message": body}
    else:
        result = {"type": "errored", "error": body}
    return json.dumps({"custom_id": custom_id, "result": result}).encode()
