-- Where benefit_reach counts a member that got a benefit on a day, and on another one before: the place in `again`, 0 in `first`.
create or replace function reach_place(p_day date, p_before date) returns integer
language sql immutable as $$
  select case when p_day - p_before <= 400 then p_day - p_before else 0 end
$$;
