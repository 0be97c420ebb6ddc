-- confirm_calculation for a caller that says when it sent this, by its idea of this server's clock, and for how long it waits. Before
-- anything is read the two clocks are compared, so that a clock that was set costs one more call instead of a refusal.
--   p_sent_at    when the caller sent this: its idea of this server's clock
--   p_within_ms  how long after that it may commit
--   reply  as of confirm_calculation, and
--          clock_differs  nothing written: p_sent_at has not come yet by this clock
--
-- Why nothing commits late. The deadline is p_sent_at + p_within_ms, a moment of this server's clock, looked at on arrival and again
-- at the end. A duration counted from the arrival would not do: a statement that waited on its way, or before a server that was
-- stopped, would have all its time again.
-- 1. The clocks agree: whatever delayed the statement, this clock has gone on meanwhile. Late is late.
-- 2. This clock was set forward: the deadline seems to be over, and nothing is written (too_late). The caller sees by its own clock,
--    which nobody sets, that there is time left; it takes the time that came with the reply and asks again within the same deadline.
-- 3. This clock was set back: the deadline would lie too late by as much. But then the statement arrives before it was sent, which
--    cannot be, and by more than c_tolerance it is refused (clock_differs). Set back while the statement runs, it shows at the end.
-- 4. What is left: a step back by up to c_tolerance; and a step back while the statement was held up for just as long, so that it
--    seems to arrive in time. No wall clock can tell that one from a punctual statement. The caller can: its own timer ended the call
--    at the deadline, and it has answered 503 and counts the confirmation as in doubt, like any whose reply was lost. So no answer
--    leaves for it; what it holds counts until it expires, and a repeat finds the one answer that is stored.
create function confirm_within(
  p_record json, p_digest bytea, p_packed bytea, p_inputs bytea, p_explanation bytea, p_holds json,
  p_expiry_s integer, p_idempotency_s integer, p_sent_at timestamptz, p_within_ms float8,
  out reply text, out counters json, out kind text, out digest bytea, out packed bytea
)
language plpgsql as $$
declare
  -- Far above what a comparison is wrong by on a near network, far below the deadline of a basket.
  c_tolerance constant interval := interval '50 milliseconds';
  v_arrived_at timestamptz := clock_timestamp();
begin
  if v_arrived_at < p_sent_at - c_tolerance then
    reply := 'clock_differs';
    return;
  end if;
  select c.* into reply, counters, kind, digest, packed
  from confirm_calculation(
    p_record, p_digest, p_packed, p_inputs, p_explanation, p_holds, p_expiry_s, p_idempotency_s,
    p_sent_at + make_interval(secs => p_within_ms / 1000)
  ) c;
  if reply = 'confirmed' and clock_timestamp() < v_arrived_at then
    raise exception 'the clock was set back while % was confirmed', p_record ->> 'calculation_id' using errcode = 'LY001';
  end if;
end
$$;
