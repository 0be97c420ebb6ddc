import hashlib
import hmac
import http.client
import queue
import socket
import ssl
import threading
import time
import uuid
from dataclasses import dataclass
from typing import Callable, Optional, Union
from urllib.parse import urlsplit

ANSWER_BYTES_MAX = 8 * 1024 * 1024
"""Many times the largest basket with its discounts: no answer of the service is larger."""


@dataclass(frozen=True)
class Service:
    """The address of the service, and the secret that this POS shares with it."""

    url: str
    """Base address, without a slash at its end."""
    secret: str
    """A line feed at the end of its file is not part of it."""
    ssl_context: Optional[ssl.SSLContext] = None
    """For https; default: the system's certificates."""
    on_exchange: Optional[Callable[["Exchange"], None]] = None
    """Called after each attempt, for logs. What it raises is ignored."""


@dataclass(frozen=True)
class Exchange:
    """One attempt: either an answer (`status` is set), or `failure`, as the sale event names it (contract 2.1)."""

    request_id: str
    path: str
    duration_ms: float
    status: Optional[int] = None
    body: bytes = b""
    retry_after_s: Optional[int] = None
    failure: Optional[str] = None
    """`timeout` or `connection_error`."""
    unsent: bool = False
    """True when there was no connection, so that nothing was sent."""
    detail: str = ""


@dataclass(frozen=True)
class SignedPost:
    path: str
    idempotency_key: str
    body: bytes
    timeout_s: float


def post_signed(service: Service, post: SignedPost) -> Exchange:
    """Sends one signed request (contract 4 and 5), once. Never raises."""
    started = time.monotonic()
    request_id = str(uuid.uuid4())
    attempt = _Attempt(service, post, request_id)
    answers: "queue.SimpleQueue[Union[_Answer, Exception]]" = queue.SimpleQueue()
    # A look-up of a name cannot be interrupted, and a socket's timeout counts from byte to byte: the whole attempt has a thread.
    threading.Thread(target=attempt.run, args=(answers,), daemon=True).start()
    try:
        outcome = answers.get(timeout=post.timeout_s)
    except queue.Empty:
        attempt.abandon()
        outcome = TimeoutError("no answer in time")
    exchange = _exchange_of(outcome, attempt, (time.monotonic() - started) * 1000)
    if service.on_exchange is not None:
        try:
            service.on_exchange(exchange)
        except Exception:  # A log that fails is no reason to fail a sale.
            pass
    return exchange


@dataclass(frozen=True)
class _Answer:
    status: int
    body: bytes
    retry_after: str


class _Attempt:
    def __init__(self, service: Service, post: SignedPost, request_id: str) -> None:
        self.service = service
        self.post = post
        self.request_id = request_id
        self.is_connected = False
        self._connection: Optional[http.client.HTTPConnection] = None

    def run(self, answers: "queue.SimpleQueue[Union[_Answer, Exception]]") -> None:
        try:
            answers.put(self._send())
        except Exception as error:
            answers.put(error)
        finally:
            if self._connection is not None:
                self._connection.close()

    def abandon(self) -> None:
        sock = None if self._connection is None else self._connection.sock
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _send(self) -> _Answer:
        address = urlsplit(self.service.url)
        if address.scheme == "https":
            context = self.service.ssl_context or ssl.create_default_context()
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                address.hostname or "", address.port, timeout=self.post.timeout_s, context=context
            )
        else:
            connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=self.post.timeout_s)
        self._connection = connection
        connection.connect()
        self.is_connected = True
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": self.post.idempotency_key,
            "POS-Signature": sign_body(self.post.body, self.service.secret.rstrip("\r\n"), int(time.time())),
            "X-Request-Id": self.request_id,
        }
        # http.client follows no redirect: a signed request is only for the service itself.
        connection.request("POST", address.path + self.post.path, self.post.body, headers)
        response = connection.getresponse()
        body = response.read(ANSWER_BYTES_MAX + 1)
        if len(body) > ANSWER_BYTES_MAX:
            raise ConnectionError("the answer is too large")
        length = response.getheader("Content-Length")
        if length is not None and length.isdigit() and len(body) < int(length):
            raise ConnectionError("the answer ends early")
        return _Answer(response.status, body, response.getheader("Retry-After") or "")


def _exchange_of(outcome: Union[_Answer, Exception], attempt: _Attempt, duration_ms: float) -> Exchange:
    request_id, path = attempt.request_id, attempt.post.path
    if isinstance(outcome, _Answer):
        asked = outcome.retry_after
        retry_after_s = int(asked) if asked.isdigit() and len(asked) < 10 else None
        return Exchange(request_id, path, duration_ms, outcome.status, outcome.body, retry_after_s)
    if isinstance(outcome, TimeoutError) or isinstance(outcome, socket.timeout):
        return Exchange(request_id, path, duration_ms, failure="timeout", detail="no answer in time")
    return Exchange(
        request_id,
        path,
        duration_ms,
        failure="connection_error",
        unsent=not attempt.is_connected,
        detail=str(outcome) or type(outcome).__name__,
    )


def sign_body(body: bytes, secret: str, seconds: int) -> str:
    """The POS-Signature of a body (contract 5): HMAC-SHA256 over the moment, a full stop and the bytes that are sent.

    The key is the secret's text in UTF-8, even where it looks like hexadecimal digits. `seconds` since the epoch.
    """
    signed = str(seconds).encode() + b"." + body
    signature = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return f"t={seconds},v1={signature}"
