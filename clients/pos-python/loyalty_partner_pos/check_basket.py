from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Dict, List, Mapping, Optional

MONEY_MAX = 2**53 - 1
TOTAL_NAMES = ("gross", "lineDiscount", "orderDiscount", "net")


def problems_of(value: Any, sent: Mapping[str, Any], prices: Optional[Mapping[str, int]]) -> List[str]:
    """Problems that keep a POS from charging a returned basket; empty: it is charged as it is.

    A problem is a fault in its form, a broken one of the six arithmetic identities (wire decisions 1), or an added line
    at another price than the venue's list (contract 2.7). `prices` by productId; None: not compared.
    """
    form = _form_problems(value, sent)
    if form:
        return form
    problems: List[str] = []
    for line in value["lines"]:
        problems += _line_problems(line)
        if line.get("addedByLoyalty") and prices is not None:
            problems += _added_problems(line, prices)
    return problems + _order_discount_problems(value) + _total_problems(value)


def _form_problems(value: Any, sent: Mapping[str, Any]) -> List[str]:
    if not isinstance(value, dict):
        return ["the basket is no object"]
    problems = [f"{name} is another" for name in ("calculationId", "currency") if value.get(name) != sent.get(name)]
    lines = value.get("lines")
    if not isinstance(lines, list) or not lines or not all(_is_line(line) for line in lines):
        return problems + ["lines are not lines"]
    if not _is_list_of(value.get("orderDiscounts"), _is_order_discount):
        problems.append("orderDiscounts are not order discounts")
    if len({line["lineId"] for line in lines}) != len(lines):
        problems.append("a lineId stands twice")
    if not _is_totals(value.get("totals")):
        problems.append("totals are not totals")
    return problems


def _is_line(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("lineId"), str)
        and isinstance(value.get("productId"), str)
        and isinstance(value.get("noDiscount"), bool)
        and _is_quantity(value.get("quantity"))
        and _is_money(value.get("unitPrice"))
        and (value.get("overrideUnitPrice") is None or _is_money(value["overrideUnitPrice"]))
        and _is_list_of(value.get("discounts"), _is_discount)
        and _is_list_of(value.get("orderDiscountAllocations"), _is_allocation)
        and _is_totals(value.get("totals"))
    )


def _is_quantity(value: Any) -> bool:
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool) and value > 0


def _is_money(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MONEY_MAX


def _is_discount(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") in ("amount", "percentage") and _is_money(value.get("amount"))


def _is_order_discount(value: Any) -> bool:
    return _is_discount(value) and isinstance(value.get("orderDiscountId"), str)


def _is_allocation(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("orderDiscountId"), str) and _is_money(value.get("amount"))


def _is_totals(value: Any) -> bool:
    return isinstance(value, dict) and all(_is_money(value.get(name)) for name in TOTAL_NAMES)


def _is_list_of(value: Any, is_entry: Any) -> bool:
    return value is None or (isinstance(value, list) and all(is_entry(entry) for entry in value))


def _line_problems(line: Dict[str, Any]) -> List[str]:
    """Identities 1 to 4."""
    line_id, totals = line["lineId"], line["totals"]
    price = line["unitPrice"] if line.get("overrideUnitPrice") is None else line["overrideUnitPrice"]
    problems = []
    if gross_of(line["quantity"], price) != totals["gross"]:
        problems.append(f"{line_id}: gross is not quantity x price")
    if _sum_of(line.get("discounts")) != totals["lineDiscount"]:
        problems.append(f"{line_id}: lineDiscount is not its sum")
    if _sum_of(line.get("orderDiscountAllocations")) != totals["orderDiscount"]:
        problems.append(f"{line_id}: orderDiscount is not its sum")
    if totals["gross"] - totals["lineDiscount"] - totals["orderDiscount"] != totals["net"]:
        problems.append(f"{line_id}: net is not what is left")
    return problems


def gross_of(quantity: Any, unit_price: int) -> Optional[int]:
    """`round(quantity x unitPrice)`, half up to a whole minor unit (identity 1); None: more than 3 decimals."""
    exact = Decimal(str(quantity))
    if exact != exact.quantize(Decimal("0.001"), ROUND_HALF_UP):
        return None
    return int((exact * unit_price).quantize(Decimal(1), ROUND_HALF_UP))


def _added_problems(line: Dict[str, Any], prices: Mapping[str, int]) -> List[str]:
    if line["productId"] not in prices:
        return [f"{line['lineId']}: the venue does not sell {line['productId']}"]
    same = prices[line["productId"]] == line["unitPrice"]
    return [] if same else [f"{line['lineId']}: added at another price than the list's"]


def _order_discount_problems(basket: Dict[str, Any]) -> List[str]:
    """Identity 5."""
    discounts = basket.get("orderDiscounts") or []
    left = {discount["orderDiscountId"]: discount["amount"] for discount in discounts}
    problems = [] if len(left) == len(discounts) else ["an orderDiscountId stands twice"]
    for line in basket["lines"]:
        for allocation in line.get("orderDiscountAllocations") or []:
            name = allocation["orderDiscountId"]
            if name in left:
                left[name] -= allocation["amount"]
            else:
                problems.append(f"an allocation names {name}, which is not there")
    return problems + [f"{name} is not the sum of its allocations" for name, rest in left.items() if rest != 0]


def _total_problems(basket: Dict[str, Any]) -> List[str]:
    """Identity 6."""
    return [
        f"the basket's {name} is not the sum over its lines"
        for name in TOTAL_NAMES
        if sum(line["totals"][name] for line in basket["lines"]) != basket["totals"][name]
    ]


def _sum_of(amounts: Optional[List[Dict[str, Any]]]) -> int:
    return sum(entry["amount"] for entry in amounts or [])
