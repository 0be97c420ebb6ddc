-- A counter now. Expired reservations are not in `open`; nextExpiryAt and lastExpiryAt are those of open ones, in milliseconds.
create or replace function limit_counter_state(
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
