import os
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Mapping, Optional, Union

from .calculate import Calculated, CallTimes, calculate_basket
from .call import Service
from .record_return import Returned, record_return
from .sale_queue import SaleEnd, SalePatience, SaleQueue


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
        return record_return(self._service, returned, self._patience.timeout_s)

    @property
    def waiting(self) -> int:
        """Sale events that still have to be delivered."""
        return self._queue.depth

    def close(self) -> None:
        self._queue.close()
