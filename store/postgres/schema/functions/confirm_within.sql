-- confirm_calculation for a caller that states when it sent the call, by its estimate of this server's clock. The clocks are compared
-- before anything is read, so that a clock that was set costs one more call and not a refusal.
--   p_sent_at    when the caller sent this, by its estimate of this server's clock
--   p_within_ms  how long after that it may commit, in milliseconds
-- Replies as confirm_calculation, and
--   clock_differs  nothing written: p_sent_at lies in the future of this clock
--
-- Why nothing commits late. The deadline p_sent_at + p_within_ms is a moment of this clock, checked on arrival and at the end. A
-- duration from the arrival would not do: a statement that was delayed on its way would get its whole time again.
-- 1. The clocks agree: a delayed statement finds the deadline over.
-- 2. This clock was set forward: the deadline seems over, nothing is written (too_late). The caller measures with a clock that nobody
--    sets, sees that time is left, takes over the time of the reply and calls again within the same deadline.
-- 3. This clock was set back: the statement arrives before it was sent. By more than c_tolerance it is refused (clock_differs). A clock
--    set back while the statement runs is found at the end.
-- 4. Left over: a step back of up to c_tolerance, and a step back during a delay of the same length. No wall clock can find these. The
--    caller's own timer has ended the call at the deadline and it has answered 503, so no answer is sent for this calculation. Its
--    reservations last until they expire, and a repeat finds the stored answer.
create or replace function confirm_within(
  p_record json, p_digest bytea, p_packed bytea, p_inputs bytea, p_explanation bytea, p_holds json,
  p_expiry_s integer, p_idempotency_s integer, p_sent_at timestamptz, p_within_ms float8,
  out reply text, out counters json, out kind text, out digest bytea, out packed bytea
)
language plpgsql as $$
declare
  -- Well above the error of a clock comparison on a near network, well below the deadline of a basket.
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
