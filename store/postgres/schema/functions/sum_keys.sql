-- The rows of benefit_sum and value_sum to which something of a day at a venue adds.
create or replace function sum_keys(p_venue text, p_day date) returns table (span sum_span, venue_id text, day date)
language sql immutable as $$
  values ('v'::sum_span, p_venue, p_day), ('m', p_venue, date_trunc('month', p_day::timestamp)::date), ('a', '', p_day)
$$;
