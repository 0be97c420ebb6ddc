-- What internal services look into: counters by their subject, and their state now.

-- Counters of one member or venue.
create index limit_counter_subject on limit_counter (subject, limit_id, period) where subject <> '';

-- Milliseconds since the epoch.
create function milliseconds(p_at timestamptz) returns float8
language sql immutable as $$
  select floor(extract(epoch from p_at) * 1000)::float8
$$;

-- A counter now: expired reservations are taken off `open`, and the first and last expiry are of what is still open.
create function limit_counter_state(
  p_counter limit_counter, out "limitId" text, out subject text, out period text, out maximum bigint, out used bigint,
  out late bigint, out open bigint, out "nextExpiryAt" float8, out "lastExpiryAt" float8
)
language sql stable as $$
  select p_counter.limit_id, p_counter.subject, p_counter.period, p_counter.maximum, p_counter.used, p_counter.late,
    p_counter.open - coalesce((
      select sum(r.units)::bigint from reservation r
      where r.counter_id = p_counter.counter_id and r.held_until <= statement_timestamp()
    ), 0),
    (
      select milliseconds(min(r.held_until)) from reservation r
      where r.counter_id = p_counter.counter_id and r.held_until > statement_timestamp()
    ),
    (
      select milliseconds(max(r.held_until)) from reservation r
      where r.counter_id = p_counter.counter_id and r.held_until > statement_timestamp()
    )
$$;
