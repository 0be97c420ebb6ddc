package pos

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
)

const moneyMax = 1<<53 - 1

var totalNames = []string{"gross", "lineDiscount", "orderDiscount", "net"}

type fields = map[string]any

// basketProblem is what keeps a POS from charging a returned basket: a fault in its form, a broken one of the six arithmetic identities
// (wire decisions 1), or an added line at another price than the venue's list (contract 2.7); empty: it is charged as it is.
func basketProblem(value any, sent fields, prices map[string]int64) string {
	basket, _ := value.(fields)
	if problem := formProblem(basket, sent); problem != "" {
		return problem
	}
	for _, line := range listIn(basket, "lines") {
		problem := lineProblem(line)
		if problem == "" && prices != nil && line["addedByLoyalty"] == true {
			problem = addedProblem(line, prices)
		}
		if problem != "" {
			return fmt.Sprintf("%s: %s", line["lineId"], problem)
		}
	}
	if problem := orderDiscountProblem(basket); problem != "" {
		return problem
	}
	for _, name := range totalNames {
		var sum int64
		for _, line := range listIn(basket, "lines") {
			sum += amountIn(line["totals"].(fields), name)
		}
		if sum != amountIn(basket["totals"].(fields), name) {
			return "the basket's " + name + " is not the sum over its lines"
		}
	}
	return ""
}

func formProblem(basket, sent fields) string {
	for _, name := range []string{"calculationId", "currency"} {
		if text, isText := basket[name].(string); !isText || text != sent[name] {
			return name + " is another"
		}
	}
	if basket["lines"] == nil || !isListOf(basket["lines"], isLine) || len(listIn(basket, "lines")) == 0 {
		return "lines are not lines"
	}
	isOrderDiscount := func(value fields) bool { return isDiscount(value) && isAllocation(value) }
	if !isListOf(basket["orderDiscounts"], isOrderDiscount) {
		return "orderDiscounts are not order discounts"
	}
	ids := map[any]bool{}
	for _, line := range listIn(basket, "lines") {
		ids[line["lineId"]] = true
	}
	if len(ids) != len(listIn(basket, "lines")) {
		return "a lineId stands twice"
	}
	if !isTotals(basket["totals"]) {
		return "totals are not totals"
	}
	return ""
}

func isLine(line fields) bool {
	_, hasFlag := line["noDiscount"].(bool)
	quantity, _ := numberOf(line["quantity"])
	return isText(line["lineId"]) && isText(line["productId"]) && hasFlag && quantity > 0 && isMoney(line["unitPrice"]) &&
		(line["overrideUnitPrice"] == nil || isMoney(line["overrideUnitPrice"])) &&
		isListOf(line["discounts"], isDiscount) &&
		isListOf(line["orderDiscountAllocations"], isAllocation) &&
		isTotals(line["totals"])
}

func isText(value any) bool {
	_, is := value.(string)
	return is
}

func numberOf(value any) (float64, bool) {
	number, _ := value.(json.Number)
	parsed, err := strconv.ParseFloat(string(number), 64)
	return parsed, err == nil
}

func isMoney(value any) bool {
	number, is := numberOf(value)
	return is && number >= 0 && number <= moneyMax && number == math.Trunc(number)
}

func isDiscount(value fields) bool {
	return (value["type"] == "amount" || value["type"] == "percentage") && isMoney(value["amount"])
}

func isAllocation(value fields) bool {
	return isText(value["orderDiscountId"]) && isMoney(value["amount"])
}

func isTotals(value any) bool {
	totals, _ := value.(fields)
	for _, name := range totalNames {
		if !isMoney(totals[name]) {
			return false
		}
	}
	return true
}

func isListOf(value any, isEntry func(fields) bool) bool {
	list, isList := value.([]any)
	for _, each := range list {
		entry, _ := each.(fields)
		if entry == nil || !isEntry(entry) {
			return false
		}
	}
	return value == nil || isList
}

func lineProblem(line fields) string {
	price := amountIn(line, "unitPrice")
	if line["overrideUnitPrice"] != nil {
		price = amountIn(line, "overrideUnitPrice")
	}
	quantity, _ := numberOf(line["quantity"])
	gross, isExact := grossOf(quantity, price)
	totals := line["totals"].(fields)
	lineDiscount, orderDiscount := amountIn(totals, "lineDiscount"), amountIn(totals, "orderDiscount")
	switch {
	case !isExact || gross != amountIn(totals, "gross"):
		return "gross is not quantity x price"
	case sumOf(listIn(line, "discounts")) != lineDiscount:
		return "lineDiscount is not its sum"
	case sumOf(listIn(line, "orderDiscountAllocations")) != orderDiscount:
		return "orderDiscount is not its sum"
	case gross-lineDiscount-orderDiscount != amountIn(totals, "net"):
		return "net is not what is left"
	}
	return ""
}

// grossOf is quantity x unitPrice, half up to a whole minor unit (identity 1); false: more than 3 decimals, or too large.
func grossOf(quantity float64, unitPrice int64) (int64, bool) {
	thousandths := math.Round(quantity * 1000)
	if quantity > 1e9 || thousandths/1000 != quantity {
		return 0, false
	}
	gross := new(big.Int).Mul(big.NewInt(int64(thousandths)), big.NewInt(unitPrice))
	gross.Div(gross.Add(gross, big.NewInt(500)), big.NewInt(1000))
	return gross.Int64(), gross.IsInt64()
}

func addedProblem(line fields, prices map[string]int64) string {
	price, isSold := prices[line["productId"].(string)]
	if !isSold {
		return fmt.Sprintf("the venue does not sell %s", line["productId"])
	}
	if price != amountIn(line, "unitPrice") {
		return "added at another price than the list's"
	}
	return ""
}

func orderDiscountProblem(basket fields) string {
	left := map[string]int64{}
	for _, discount := range listIn(basket, "orderDiscounts") {
		id := discount["orderDiscountId"].(string)
		if _, isKnown := left[id]; isKnown {
			return "an orderDiscountId stands twice"
		}
		left[id] = amountIn(discount, "amount")
	}
	for _, line := range listIn(basket, "lines") {
		for _, allocation := range listIn(line, "orderDiscountAllocations") {
			id := allocation["orderDiscountId"].(string)
			if _, isKnown := left[id]; !isKnown {
				return "an allocation names " + id + ", which is not there"
			}
			left[id] -= amountIn(allocation, "amount")
		}
	}
	for id, rest := range left {
		if rest != 0 {
			return id + " is not the sum of its allocations"
		}
	}
	return ""
}

func listIn(object fields, name string) []fields {
	list, _ := object[name].([]any)
	entries := make([]fields, len(list))
	for at, each := range list {
		entries[at] = each.(fields)
	}
	return entries
}

func sumOf(entries []fields) (sum int64) {
	for _, entry := range entries {
		sum += amountIn(entry, "amount")
	}
	return sum
}

func amountIn(object fields, name string) int64 {
	number, _ := numberOf(object[name])
	return int64(number)
}
