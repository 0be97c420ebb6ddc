"""Client of the loyalty partner contract for POS backends (Python 3.9 or newer, standard library)."""

from .calculate import Calculated, CallTimes
from .check_basket import problems_of
from .client import PosClient
from .call import Exchange, Service
from .record_return import Returned
from .sale_queue import SaleEnd, SalePatience
from .sign import sign_body

__all__ = [
    "Calculated",
    "CallTimes",
    "Exchange",
    "PosClient",
    "Returned",
    "SaleEnd",
    "SalePatience",
    "Service",
    "problems_of",
    "sign_body",
]
