-- The state of a calculation now: one past its expiry is expired, whether or not expire_calculations has marked it.
create or replace function calculation_state_now(p_calculation calculation) returns text
language sql stable as $$
  select case when p_calculation.state = 'open' and p_calculation.expires_at <= statement_timestamp() then 'expired'
    else p_calculation.state::text end
$$;
