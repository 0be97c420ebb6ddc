import os
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Mapping, Optional

from .calculate import json_of, object_from_json
from .call import Exchange, Service, SignedPost, post_signed

ASKED_S_MAX = 3600.0
"""The longest pause that an answer may ask for: a proxy's Retry-After of days would outlast the horizon."""
RESULTS = ("recorded", "duplicate", "unknown_calculation")


@dataclass(frozen=True)
class SalePatience:
    """Times for sending sale events (contract 4.1: exponential backoff, for up to 24 hours)."""

    timeout_s: float = 5.0
    """For one attempt."""
    pause_s: float = 0.25
    """Before the second attempt; doubles from there, up to `pause_max_s`."""
    pause_max_s: float = 300.0
    horizon_s: float = 24 * 3600.0
    """An event older than this is given up."""


@dataclass(frozen=True)
class SaleEnd:
    """The end of an event: `taken`, `refused`, `expired` (given up), or `left` by a queue that was closed: the next sends it."""

    calculation_id: str
    kind: str
    attempts: int
    exchange: Optional[Exchange]
    """The last attempt; None before the first."""


@dataclass
class _Event:
    calculation_id: str
    file: Path
    body: bytes
    since: float
    end: "Future[SaleEnd]" = field(default_factory=Future)
    attempts: int = 0
    due: float = 0.0
    exchange: Optional[Exchange] = None


class SaleQueue:
    """Sale events on their way: one file each, so that a POS that stops or crashes sends the rest when it runs again."""

    def __init__(self, service: Service, folder: Path, patience: SalePatience) -> None:
        self._service = service
        self._folder = folder
        self._patience = patience
        self._events: Dict[str, _Event] = {}
        self._changed = threading.Condition()
        self._is_closed = False
        folder.mkdir(parents=True, exist_ok=True)
        for file in sorted(folder.iterdir()):
            if file.name.endswith(".part"):
                file.unlink()
            elif file.name.endswith(".json"):
                event = _Event(file.stem, file, file.read_bytes(), file.stat().st_mtime)
                self._events[event.calculation_id] = event
        self._thread = threading.Thread(target=self._run, name="loyalty-sales", daemon=True)
        self._thread.start()

    @property
    def depth(self) -> int:
        """Events that are not ended."""
        with self._changed:
            return len(self._events)

    def add(self, sale: Mapping[str, Any]) -> "Future[SaleEnd]":
        """Returns once the event is on disk; the future ends with it. An event that is on its way already is not added twice."""
        calculation_id = str(sale["calculationId"])
        with self._changed:
            if self._is_closed:
                raise RuntimeError("the queue is closed")
            known = self._events.get(calculation_id)
            if known is None:
                file = self._folder / f"{calculation_id}.json"
                body = json_of(sale)
                _write_whole(file, body)
                known = self._events[calculation_id] = _Event(calculation_id, file, body, time.time())
                self._changed.notify_all()
            return known.end

    def close(self) -> None:
        """Lets the attempt under way finish; the rest stays on disk."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._thread.join()
        for event in self._events.values():
            event.end.set_result(_end_of(event, "left"))
        self._events.clear()

    def _run(self) -> None:
        while True:
            with self._changed:
                event = self._next_due()
                if event is None:
                    return
            self._attempt(event)

    def _next_due(self) -> Optional[_Event]:
        """Waits for an event that is due; None: closed."""
        while not self._is_closed:
            event = min(self._events.values(), key=lambda each: each.due, default=None)
            pause = None if event is None else event.due - time.monotonic()
            if event is not None and pause is not None and pause <= 0:
                return event
            self._changed.wait(pause)
        return None

    def _attempt(self, event: _Event) -> None:
        if time.time() - event.since > self._patience.horizon_s:
            return self._end(event, "expired")
        post = SignedPost("/v1/pos/sale", event.calculation_id, event.body, self._patience.timeout_s)
        event.exchange = exchange = post_signed(self._service, post)
        event.attempts += 1
        if not is_later(exchange):
            return self._end(event, "taken" if _is_taken(exchange, event.calculation_id) else "refused")
        backoff_s = min(self._patience.pause_max_s, self._patience.pause_s * 2 ** min(event.attempts - 1, 30))
        event.due = time.monotonic() + max(min(exchange.retry_after_s or 0, ASKED_S_MAX), backoff_s)

    def _end(self, event: _Event, kind: str) -> None:
        """Deletes the file of a delivered sale, and renames one that is given up, for people to look at."""
        try:
            if kind == "taken":
                event.file.unlink()
            else:
                event.file.rename(event.file.with_name(f"{event.file.name}.{kind}"))
        except OSError:
            # It is sent again when the POS next runs, and gets the first answer again.
            pass
        with self._changed:
            del self._events[event.calculation_id]
        event.end.set_result(_end_of(event, kind))


def is_later(exchange: Exchange) -> bool:
    """True when the service has not answered: no answer, 429, 5xx, a redirect, or a proxy's page."""
    if exchange.status is None or exchange.status == 429 or exchange.status >= 500:
        return True
    return exchange.status < 400 and object_from_json(exchange.body) is None


def _is_taken(exchange: Exchange, calculation_id: str) -> bool:
    answer = (object_from_json(exchange.body) or {}) if exchange.status == 200 else {}
    return answer.get("calculationId") == calculation_id and answer.get("result") in RESULTS


def _end_of(event: _Event, kind: str) -> SaleEnd:
    return SaleEnd(event.calculation_id, kind, event.attempts, event.exchange)


def _write_whole(file: Path, body: bytes) -> None:
    """Writes a file completely or not at all, also across a power loss."""
    part = file.with_name(f"{file.name}.part")
    with open(part, "wb") as writing:
        writing.write(body)
        writing.flush()
        os.fsync(writing.fileno())
    os.replace(part, file)
    if os.name == "posix":
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
