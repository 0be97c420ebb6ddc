import json
import math
import time
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Dict, Mapping, Optional

from .call import Exchange, Service, SignedPost, post_signed
from .check_basket import problems_of

ATTEMPTS_MAX = 2
"""Attempts of a basket call: the first, and one more where the first got no connection."""


@dataclass(frozen=True)
class CallTimes:
    """Times this POS gives a basket call; the defaults are the contract's (contract 8)."""

    attempt_s: float = 0.5
    """For one attempt."""
    cap_s: float = 3.0
    """For all of them together."""


@dataclass(frozen=True)
class Calculated:
    """The outcome of the loyalty step; `charged` is the basket that the guest pays: the original one unless `applied`."""

    status: str
    """`applied`, `unchanged`, `member_not_found` or `failed`, as in the sale event."""
    charged: Mapping[str, Any]
    exchange: Exchange
    reason: Optional[str] = None
    """The reason of `unchanged`."""
    failure_reason: Optional[str] = None
    """The reason of `failed`, as in the sale event (contract 2.1)."""
    detail: str = ""
    """Details of `failed`, for logs."""


def calculate_basket(
    service: Service, basket: Mapping[str, Any], prices: Optional[Mapping[str, int]], times: CallTimes
) -> Calculated:
    """Asks for the member's benefits, and falls back to the original basket on anything but a good answer."""
    exchange = _call_with_retry(service, basket, times)
    if exchange.failure is not None:
        return _failed(basket, exchange, exchange.failure, exchange.detail)
    if exchange.status != 200:
        return _failed(basket, exchange, "http_error", f"{exchange.status} {_error_in(exchange.body)}")
    return _judge(basket, exchange, prices)


def object_from_json(body: bytes) -> Optional[Dict[str, Any]]:
    """The object of a JSON text, quantities as exact decimals; None: it is none."""
    try:
        value = json.loads(body, parse_float=Decimal, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def json_of(value: Any) -> bytes:
    """JSON in UTF-8. Decimals are written as numbers: a quantity has at most 3 decimals."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_number_of).encode()


def _number_of(value: Any) -> float:
    if isinstance(value, Decimal) and math.isfinite(value):
        return float(value)
    raise TypeError(f"{type(value).__name__} has no JSON")


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


def _call_with_retry(service: Service, basket: Mapping[str, Any], times: CallTimes) -> Exchange:
    started = time.monotonic()
    try:
        key, body = str(basket["calculationId"]), json_of(basket)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        return Exchange("", "/v1/pos/basket", 0, failure="pos_error", detail=f"the basket has no JSON: {error!r}")
    for attempt in range(1, ATTEMPTS_MAX + 1):
        left_s = times.cap_s - (time.monotonic() - started)
        post = SignedPost("/v1/pos/basket", key, body, max(0.001, min(times.attempt_s, left_s)))
        exchange = post_signed(service, post)
        if not exchange.unsent or time.monotonic() - started >= times.cap_s:
            break
    return exchange


def _judge(basket: Mapping[str, Any], exchange: Exchange, prices: Optional[Mapping[str, int]]) -> Calculated:
    def invalid(detail: str) -> Calculated:
        return _failed(basket, exchange, "invalid_response", detail)

    answer = object_from_json(exchange.body)
    if answer is None:
        return invalid("the answer is no JSON object")
    if answer.get("calculationId") != basket["calculationId"]:
        return invalid("the answer is for another calculation")
    status = answer.get("status")
    if status == "member_not_found":
        return Calculated(status, basket, exchange)
    if status == "unchanged":
        reason = answer.get("reason")
        if not isinstance(reason, str):
            return invalid("unchanged without a reason")
        return Calculated(status, basket, exchange, reason=reason)
    if status != "applied":
        return invalid("a status the contract does not know")
    problems = problems_of(answer.get("basket"), basket, prices)
    return invalid(problems[0]) if problems else Calculated(status, answer["basket"], exchange)


def _failed(basket: Mapping[str, Any], exchange: Exchange, failure_reason: str, detail: str) -> Calculated:
    return Calculated("failed", basket, exchange, failure_reason=failure_reason, detail=detail)


def _error_in(body: bytes) -> str:
    """Code and message of an error body (contract 2.6), where they are readable."""
    error = (object_from_json(body) or {}).get("error")
    if isinstance(error, dict) and "code" in error:
        return f"{error['code']}: {error.get('message')}"
    return body[:80].decode(errors="replace")
