// Package pos is the client of a POS backend: it asks for a basket's price within the time of a card payment, falls back to the original
// basket on anything but a good answer, and delivers the sale event, however long that takes.
package pos

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

const attemptsMax = 2

// Times of the calls; a zero is the contract's value (contract 4.1 and 8).
type Times struct {
	Attempt  time.Duration // for one attempt of a basket call
	Cap      time.Duration // for all of them together
	Sale     time.Duration // for one attempt of a sale event
	Pause    time.Duration // before the second attempt of an event; doubles from there, up to PauseMax
	PauseMax time.Duration
	Horizon  time.Duration // an event older than this is given up
}

type Client struct {
	caller *caller
	times  Times
	queue  *saleQueue
}

type Calculated struct {
	Status        string         // "applied", "unchanged", "member_not_found" or "failed", as in the sale event
	Charged       map[string]any // the basket to charge: the given one, or a returned one, whose numbers are json.Number
	Reason        string         // of "unchanged"
	FailureReason string         // of "failed", as in the sale event (contract 2.1)
	Detail        string         // of "failed", for logs
	Exchange      Exchange
}

// Open sends the events of an earlier run first. The folder must survive a restart; no other process may use it.
func Open(service Service, queueFolder string, times Times) (*Client, error) {
	for _, each := range []struct {
		given    *time.Duration
		contract time.Duration
	}{
		{&times.Attempt, 500 * time.Millisecond}, {&times.Cap, 3 * time.Second}, {&times.Sale, 5 * time.Second},
		{&times.Pause, 250 * time.Millisecond}, {&times.PauseMax, 5 * time.Minute}, {&times.Horizon, 24 * time.Hour},
	} {
		if *each.given == 0 {
			*each.given = each.contract
		}
	}
	service.Secret = strings.TrimRight(service.Secret, "\r\n")
	caller := newCaller(service)
	queue, err := openQueue(caller, queueFolder, times)
	if err != nil {
		return nil, err
	}
	return &Client{caller, times, queue}, nil
}

// Calculate asks for a basket's benefits: 500 ms an attempt, one more where there was no connection, 3 s in all.
//
// basket is the one before loyalty, never Charged of an earlier call; prices are the venue's list by productId, for lines that the service
// adds, nil: not compared.
func (client *Client) Calculate(basket map[string]any, prices map[string]int64) Calculated {
	body, err := encode(basket)
	if err != nil {
		return failed(basket, Exchange{}, "pos_error", "the basket has no JSON: "+err.Error())
	}
	sent := objectOf(body)
	id, _ := sent["calculationId"].(string)
	exchange := client.call(id, body)
	if exchange.Failure != "" {
		return failed(basket, exchange, exchange.Failure, exchange.Detail)
	}
	if exchange.Status != 200 {
		return failed(basket, exchange, "http_error", fmt.Sprintf("%d %.200s", exchange.Status, exchange.Body))
	}
	answer := objectOf(exchange.Body)
	if problem := answerProblem(answer, sent, prices); problem != "" {
		return failed(basket, exchange, "invalid_response", problem)
	}
	done := Calculated{Status: answer["status"].(string), Charged: basket, Exchange: exchange}
	switch done.Status {
	case "applied":
		done.Charged = answer["basket"].(map[string]any)
	case "unchanged":
		done.Reason = answer["reason"].(string)
	}
	return done
}

// Record takes the event of a finished or abandoned sale, and returns once it is on disk.
func (client *Client) Record(sale map[string]any) (*Recording, error) {
	return client.queue.add(sale)
}

// Waiting is the number of sale events that still have to be delivered.
func (client *Client) Waiting() int {
	return client.queue.depth()
}

// Close lets the attempt under way finish; other events stay on disk for the next run.
func (client *Client) Close() {
	client.queue.close()
}

func (client *Client) call(id string, body []byte) Exchange {
	started := time.Now()
	for attempt := 1; ; attempt++ {
		timeout := client.times.Cap - time.Since(started)
		if timeout > client.times.Attempt {
			timeout = client.times.Attempt
		}
		exchange := client.caller.post("/v1/pos/basket", id, body, timeout)
		if !exchange.Unsent || attempt == attemptsMax || time.Since(started) >= client.times.Cap {
			return exchange
		}
	}
}

func answerProblem(answer, sent map[string]any, prices map[string]int64) string {
	if answer == nil {
		return "the answer is no JSON object"
	}
	if id, isText := answer["calculationId"].(string); !isText || id != sent["calculationId"] {
		return "the answer is for another calculation"
	}
	switch answer["status"] {
	case "applied":
		return basketProblem(answer["basket"], sent, prices)
	case "unchanged":
		if _, isText := answer["reason"].(string); !isText {
			return "unchanged without a reason"
		}
		return ""
	case "member_not_found":
		return ""
	}
	return "a status the contract does not know"
}

func failed(basket map[string]any, exchange Exchange, reason, detail string) Calculated {
	return Calculated{Status: "failed", Charged: basket, Exchange: exchange, FailureReason: reason, Detail: detail}
}

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
