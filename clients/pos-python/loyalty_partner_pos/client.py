import os
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Mapping, Optional, Union

from .calculate import Calculated, CallTimes, calculate_basket, json_of, object_from_json
from .call import Exchange, Service, SignedPost, post_signed
from .sale_queue import SaleEnd, SalePatience, SaleQueue, is_later


RETURN_PATH = "/v1/pos/return"
REFUNDING = ("recorded", "duplicate", "quoted")


@dataclass(frozen=True)
class Returned:
    """The outcome of one attempt to record a return."""

    kind: str
    """`taken`, `refused` (for a person, nothing was stored) or `later` (send the same return again)."""
    exchange: Exchange
    answer: Optional[Dict[str, Any]] = None
    """Of `taken`: `result`, and unless that is `unknown_calculation`, `refund`, `lines`, `takenBack` and `givenBack`."""


class PosClient:
    """The client of a POS backend.

    It asks for a basket's price within the time of a card payment, falls back to the original basket on anything but a
    good answer, and delivers the sale event, however long that takes. May be used from several threads.
    """

    def __init__(
        self,
        service: Service,
        queue_folder: Union[str, "os.PathLike[str]"],
        times: CallTimes = CallTimes(),
        patience: SalePatience = SalePatience(),
    ) -> None:
        """Opens the queue, and sends the events that an earlier run left in it. The folder must survive a restart."""
        self._service = service
        self._times = times
        self._patience = patience
        self._queue = SaleQueue(service, Path(queue_folder), patience)

    def calculate(self, basket: Mapping[str, Any], prices: Optional[Mapping[str, int]] = None) -> Calculated:
        """Asks for a basket's loyalty benefits: 500 ms an attempt, one more where there was no connection, 3 s in all.

        `basket` is the one before loyalty, never `charged` of an earlier call. Never raises. `prices`: the venue's list by productId, for the lines that the service adds; None: not compared.
        """
        return calculate_basket(self._service, basket, prices, self._times)

    def record(self, sale: Mapping[str, Any]) -> "Future[SaleEnd]":
        """Takes the event of a finished or abandoned sale: returns once it is on disk; the future ends with the event."""
        return self._queue.add(sale)

    def record_return(self, returned: Mapping[str, Any]) -> Returned:
        """Asks what to refund for goods that come back, and records it unless `dryRun`: one attempt of 5 s. Never raises.

        Where it is `later`, call again with the same return.
        """
        try:
            key, body = str(returned["returnId"]), json_of(returned)
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            return Returned("refused", Exchange("", RETURN_PATH, 0, failure="pos_error", detail=f"the return has no JSON: {error!r}"))
        exchange = post_signed(self._service, SignedPost(RETURN_PATH, key, body, self._patience.timeout_s))
        if is_later(exchange):
            return Returned("later", exchange)
        answer = object_from_json(exchange.body) if exchange.status == 200 else None
        if answer is None or answer.get("returnId") != key or not _is_good(answer):
            return Returned("refused", exchange)
        return Returned("taken", exchange, answer)

    @property
    def waiting(self) -> int:
        """Sale events that still have to be delivered."""
        return self._queue.depth

    def close(self) -> None:
        self._queue.close()


def _is_good(answer: Mapping[str, Any]) -> bool:
    result, refund = answer.get("result"), answer.get("refund")
    return result == "unknown_calculation" or (result in REFUNDING and type(refund) is int and refund >= 0)
