package pos

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Many times the largest basket with its discounts: no answer of the service is larger.
const answerBytesMax = 8 << 20

// Below the 12 s after which the service closes an idle connection.
const idleMax = 10 * time.Second

const idleConnectionsMax = 64

// Service is the address of the service, and the secret that this POS shares with it.
type Service struct {
	URL        string         // base address, without a slash at its end
	Secret     string         // its text; a line feed at the end of its file is not part of it
	CAs        *x509.CertPool // an authority of your own; nil: the system's
	OnExchange func(Exchange) // called after each attempt, for logs; nil: not called
}

// Exchange is one attempt: an answer (Status is not 0), or a Failure, as the sale event names it (contract 2.1).
type Exchange struct {
	RequestID  string
	Path       string
	Duration   time.Duration
	Status     int
	Body       []byte
	RetryAfter time.Duration
	Failure    string // "timeout" or "connection_error"
	Unsent     bool   // there was no connection, so nothing was sent
	Detail     string
}

type caller struct {
	service Service
	http    http.Client
}

func newCaller(service Service) *caller {
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		TLSClientConfig:     &tls.Config{RootCAs: service.CAs},
		MaxIdleConnsPerHost: idleConnectionsMax,
		IdleConnTimeout:     idleMax,
		DisableCompression:  true,
	}
	// A signed request is only for the service itself.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &caller{service, http.Client{Transport: transport, CheckRedirect: stay}}
}

// Signature is the POS-Signature of a body: HMAC-SHA256 over the moment, a full stop and the bytes that are sent. The key is the secret's
// text, even where it looks like hexadecimal digits.
func Signature(body []byte, secret string, at time.Time) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}

func NewID() string {
	var id [16]byte
	if _, err := rand.Read(id[:]); err != nil {
		panic(err) // the system has no random numbers
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

func (caller *caller) post(path, key string, body []byte, timeout time.Duration) Exchange {
	started := time.Now()
	exchange := Exchange{RequestID: NewID(), Path: path}
	if err := caller.attempt(&exchange, key, body, timeout); err != nil {
		exchange.Failure, exchange.Detail = "connection_error", err.Error()
		var late net.Error
		var dial *net.OpError
		if errors.As(err, &late) && late.Timeout() {
			exchange.Failure = "timeout"
		} else if errors.As(err, &dial) {
			exchange.Unsent = dial.Op == "dial"
		}
	}
	exchange.Duration = time.Since(started)
	caller.report(exchange)
	return exchange
}

func (caller *caller) attempt(exchange *Exchange, key string, body []byte, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "POST", caller.service.URL+exchange.Path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	// With it, Go would send a request that has an Idempotency-Key again by itself when a kept connection ends before the answer.
	request.GetBody = nil
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	request.Header.Set("POS-Signature", Signature(body, caller.service.Secret, time.Now()))
	request.Header.Set("X-Request-Id", exchange.RequestID)
	response, err := caller.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	read, err := io.ReadAll(io.LimitReader(response.Body, answerBytesMax+1))
	if err == nil && len(read) > answerBytesMax {
		err = errors.New("the answer is too large")
	}
	if err != nil {
		return err
	}
	seconds, _ := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 31)
	exchange.Status, exchange.Body, exchange.RetryAfter = response.StatusCode, read, time.Duration(seconds)*time.Second
	return nil
}

// report: a log that fails is no reason to fail a sale.
func (caller *caller) report(exchange Exchange) {
	defer func() { _ = recover() }()
	if caller.service.OnExchange != nil {
		caller.service.OnExchange(exchange)
	}
}

func encode(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimRight(text.Bytes(), "\n"), err
}

// objectOf reads an object; nil: the text is none. Numbers are json.Number, so that an integer of any size comes back as it was.
func objectOf(text []byte) map[string]any {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		return nil
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil
	}
	return object
}
