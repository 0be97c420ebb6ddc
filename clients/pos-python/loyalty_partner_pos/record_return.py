from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional

from .calculate import json_of, object_from_json
from .call import Exchange, Service, SignedPost, post_signed
from .sale_queue import is_later

PATH = "/v1/pos/return"
REFUNDING = ("recorded", "duplicate", "quoted")


@dataclass(frozen=True)
class Returned:
    """The outcome of one attempt to record a return."""

    kind: str
    """`taken`, `refused` (for a person, nothing was stored) or `later` (send the same return again)."""
    exchange: Exchange
    answer: Optional[Dict[str, Any]] = None
    """Of `taken`: `result`, and unless that is `unknown_calculation`, `refund`, `lines`, `takenBack` and `givenBack`."""


def record_return(service: Service, returned: Mapping[str, Any], timeout_s: float) -> Returned:
    """Sends a return once. Never raises."""
    try:
        key, body = str(returned["returnId"]), json_of(returned)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        return Returned("refused", Exchange("", PATH, 0, failure="pos_error", detail=f"the return has no JSON: {error!r}"))
    exchange = post_signed(service, SignedPost(PATH, key, body, timeout_s))
    if is_later(exchange):
        return Returned("later", exchange)
    answer = object_from_json(exchange.body) if exchange.status == 200 else None
    if answer is None or answer.get("returnId") != key or not _is_good(answer):
        return Returned("refused", exchange)
    return Returned("taken", exchange, answer)


def _is_good(answer: Mapping[str, Any]) -> bool:
    result, refund = answer.get("result"), answer.get("refund")
    return result == "unknown_calculation" or (result in REFUNDING and type(refund) is int and refund >= 0)
