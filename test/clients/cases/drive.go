// Calls the Go client as the cases ask: one JSON object a line in, one out.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"loyaltypartner/pos"
)

type asked struct {
	URL, Secret, Folder string
	AttemptMs, PauseMs  int64
	Basket, Sale        map[string]any
	Returned            map[string]any
	Prices              []struct {
		ProductID string
		UnitPrice int64
	}
	Leave bool
}

func main() {
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	var client *pos.Client
	var opened string
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return
		}
		ask := asked{PauseMs: 1}
		try(json.Unmarshal(line, &ask))
		// A POS keeps its client, and so its connections.
		if service := ask.URL + ask.Folder + ask.Secret; client == nil || service != opened {
			if client != nil {
				client.Close()
			}
			client, opened = open(ask), service
		}
		answer := map[string]any{}
		if ask.Returned != nil {
			sent := client.RecordReturn(ask.Returned)
			answer["end"], answer["result"], answer["refund"] = sent.Kind, sent.Answer["result"], sent.Answer["refund"]
		} else if ask.Basket != nil {
			answer = calculated(client, ask)
		} else {
			recording, err := client.Record(ask.Sale)
			try(err)
			if ask.Leave {
				client.Close()
				opened = ""
			}
			end := recording.End()
			answer["end"], answer["attempts"], answer["waiting"] = end.Kind, end.Attempts, client.Waiting()
		}
		output, err := json.Marshal(answer)
		try(err)
		fmt.Println(string(output))
	}
}

func open(ask asked) *pos.Client {
	attempt, pause := time.Duration(ask.AttemptMs)*time.Millisecond, time.Duration(ask.PauseMs)*time.Millisecond
	times := pos.Times{Attempt: attempt, Cap: 6 * attempt, Pause: pause, PauseMax: 8 * pause}
	client, err := pos.Open(pos.Service{URL: ask.URL, Secret: ask.Secret}, ask.Folder, times)
	try(err)
	return client
}

func calculated(client *pos.Client, ask asked) map[string]any {
	prices := map[string]int64{}
	for _, product := range ask.Prices {
		prices[product.ProductID] = product.UnitPrice
	}
	done := client.Calculate(ask.Basket, prices)
	return map[string]any{
		"status": done.Status, "reason": done.Reason, "failureReason": done.FailureReason, "charged": done.Charged,
	}
}

func try(err error) {
	if err != nil {
		panic(err)
	}
}
