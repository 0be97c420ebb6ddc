"""Client of the loyalty partner contract for POS backends (Python 3.9 or newer, standard library)."""

from .calculate import Calculated, CallTimes
from .check_basket import problems_of
from .call import Exchange, Service, sign_body
from .client import PosClient, Returned
from .sale_queue import SaleEnd, SalePatience

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
