package pos

import "encoding/json"

const returnPath = "/v1/pos/return"

type Returned struct {
	Kind     string // "taken", "refused" (for a person, nothing was stored) or "later" (send the same return again)
	Exchange Exchange
	// Answer of "taken": result, and unless that is unknown_calculation, refund, lines, takenBack and givenBack. Else nil.
	Answer map[string]any
}

// RecordReturn asks what to refund for goods that come back, and records it unless dryRun: one attempt of 5 s. Where it is "later", call
// again with the same return.
func (client *Client) RecordReturn(returned map[string]any) Returned {
	body, err := encode(returned)
	if err != nil {
		detail := "the return has no JSON: " + err.Error()
		return Returned{Kind: "refused", Exchange: Exchange{Path: returnPath, Failure: "pos_error", Detail: detail}}
	}
	id, _ := objectOf(body)["returnId"].(string)
	exchange := client.caller.post(returnPath, id, body, client.times.Sale)
	if isLater(exchange) {
		return Returned{Kind: "later", Exchange: exchange}
	}
	answer := objectOf(exchange.Body)
	if exchange.Status != 200 || answer["returnId"] != id || !hasRefund(answer) {
		return Returned{Kind: "refused", Exchange: exchange}
	}
	return Returned{"taken", exchange, answer}
}

func hasRefund(answer map[string]any) bool {
	switch answer["result"] {
	case "unknown_calculation":
		return true
	case "recorded", "duplicate", "quoted":
		number, _ := answer["refund"].(json.Number)
		refund, err := number.Int64()
		return err == nil && refund >= 0
	}
	return false
}
