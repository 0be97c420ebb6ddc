package pos

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"
)

// The longest pause that an answer may ask for: a proxy's Retry-After of days would outlast the horizon.
const askedMax = time.Hour

var idForm = regexp.MustCompile(`^[0-9a-f-]{36}$`)

type SaleEnd struct {
	CalculationID string
	Kind          string
	Attempts      int
	Exchange      Exchange // the last attempt of this run
}

type Recording struct {
	end   SaleEnd
	file  string
	body  []byte
	since time.Time
	due   time.Time
	ended chan struct{}
}

func (event *Recording) End() SaleEnd {
	<-event.ended
	return event.end
}

// saleQueue has sale events on their way: a file each, so that a POS that stops or crashes sends the rest when it runs again.
type saleQueue struct {
	caller *caller
	folder string
	times  Times

	lock    sync.Mutex
	events  map[string]*Recording
	closed  bool
	changed chan struct{}
	stopped chan struct{}
}

func openQueue(caller *caller, folder string, times Times) (*saleQueue, error) {
	queue := &saleQueue{
		caller: caller, folder: folder, times: times,
		events: map[string]*Recording{}, changed: make(chan struct{}, 1), stopped: make(chan struct{}),
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		file := filepath.Join(folder, entry.Name())
		switch filepath.Ext(file) {
		case ".part":
			err = os.Remove(file)
		case ".json":
			err = queue.load(file)
		}
		if err != nil {
			return nil, err
		}
	}
	go queue.run()
	return queue, nil
}

func (queue *saleQueue) load(file string) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	about, err := os.Stat(file)
	if err != nil {
		return err
	}
	queue.put(strings.TrimSuffix(filepath.Base(file), ".json"), file, body, about.ModTime())
	return nil
}

func (queue *saleQueue) put(id, file string, body []byte, since time.Time) *Recording {
	event := &Recording{
		end: SaleEnd{CalculationID: id}, file: file, body: body, since: since, due: since, ended: make(chan struct{}),
	}
	queue.events[id] = event
	return event
}

func (queue *saleQueue) depth() int {
	queue.lock.Lock()
	defer queue.lock.Unlock()
	return len(queue.events)
}

func (queue *saleQueue) add(sale map[string]any) (*Recording, error) {
	id, _ := sale["calculationId"].(string)
	if !idForm.MatchString(id) {
		return nil, errors.New("calculationId: expected a UUID in lower case")
	}
	body, err := encode(sale)
	if err != nil {
		return nil, err
	}
	queue.lock.Lock()
	defer queue.lock.Unlock()
	if queue.closed {
		return nil, errors.New("the client is closed")
	}
	if known := queue.events[id]; known != nil {
		return known, nil
	}
	file := filepath.Join(queue.folder, id+".json")
	if err := writeWhole(file, body); err != nil {
		return nil, err
	}
	event := queue.put(id, file, body, time.Now())
	queue.wake()
	return event, nil
}

func (queue *saleQueue) close() {
	queue.lock.Lock()
	queue.closed = true
	queue.wake()
	queue.lock.Unlock()
	<-queue.stopped
	queue.lock.Lock()
	defer queue.lock.Unlock()
	for _, event := range queue.events {
		event.finish("left")
	}
	queue.events = map[string]*Recording{}
}

func (queue *saleQueue) wake() {
	select {
	case queue.changed <- struct{}{}:
	default:
	}
}

func (queue *saleQueue) run() {
	defer close(queue.stopped)
	for {
		next, pause, isClosed := queue.next()
		if isClosed {
			return
		}
		if next != nil && pause <= 0 {
			queue.attempt(next)
			continue
		}
		timer := time.NewTimer(pause)
		if next == nil {
			timer.Stop()
		}
		select {
		case <-queue.changed:
			timer.Stop()
		case <-timer.C:
		}
	}
}

func (queue *saleQueue) next() (next *Recording, pause time.Duration, isClosed bool) {
	queue.lock.Lock()
	defer queue.lock.Unlock()
	for _, event := range queue.events {
		if next == nil || event.due.Before(next.due) {
			next = event
		}
	}
	if next != nil {
		pause = time.Until(next.due)
	}
	return next, pause, queue.closed
}

func (queue *saleQueue) attempt(event *Recording) {
	if time.Since(event.since) > queue.times.Horizon {
		queue.end(event, "expired")
		return
	}
	exchange := queue.caller.post("/v1/pos/sale", event.end.CalculationID, event.body, queue.times.Sale)
	event.end.Exchange = exchange
	event.end.Attempts++
	if !isLater(exchange) {
		kind := "refused"
		if isTaken(exchange, event.end.CalculationID) {
			kind = "taken"
		}
		queue.end(event, kind)
		return
	}
	pause := exchange.RetryAfter
	if pause > askedMax {
		pause = askedMax
	}
	if backoff := queue.backoff(event.end.Attempts); pause < backoff {
		pause = backoff
	}
	event.due = time.Now().Add(pause)
}

func (queue *saleQueue) backoff(attempts int) time.Duration {
	pause := queue.times.Pause
	for ; attempts > 1 && pause < queue.times.PauseMax; attempts-- {
		pause *= 2
	}
	if pause > queue.times.PauseMax {
		return queue.times.PauseMax
	}
	return pause
}

// end deletes the file of a delivered sale, and renames one that is given up, for people to look at. If that fails, the event is sent again
// by the next run, and gets the first answer again.
func (queue *saleQueue) end(event *Recording, kind string) {
	if kind == "taken" {
		_ = os.Remove(event.file)
	} else {
		_ = os.Rename(event.file, event.file+"."+kind)
	}
	queue.lock.Lock()
	delete(queue.events, event.end.CalculationID)
	queue.lock.Unlock()
	event.finish(kind)
}

func (event *Recording) finish(kind string) {
	event.end.Kind = kind
	close(event.ended)
}

// isLater is true when the service has not answered: no answer, 429, 5xx, a redirect, or a proxy's page.
func isLater(exchange Exchange) bool {
	if exchange.Status == 0 || exchange.Status == 429 || exchange.Status >= 500 {
		return true
	}
	return exchange.Status < 400 && objectOf(exchange.Body) == nil
}

func isTaken(exchange Exchange, id string) bool {
	answer := objectOf(exchange.Body)
	if exchange.Status != 200 || answer["calculationId"] != id {
		return false
	}
	result := answer["result"]
	return result == "recorded" || result == "duplicate" || result == "unknown_calculation"
}

// writeWhole writes a file completely or not at all, also across a power loss.
func writeWhole(file string, body []byte) error {
	part, err := os.OpenFile(file+".part", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = part.Write(body)
	if err == nil {
		err = part.Sync()
	}
	if closing := part.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(file+".part", file)
	}
	// Windows opens no folders, and needs no more than the rename.
	if err != nil || runtime.GOOS == "windows" {
		return err
	}
	folder, err := os.Open(filepath.Dir(file))
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
