-- Removes a member's ids from calculations and sales until p_until; counters of the member get a random name, and so do its accounts,
-- whose value is forfeited (forfeit_accounts). All sums stay.
-- Of another member's calculation with such a loyalty id only the loyalty id and the body go. A member that was enrolled again keeps
-- its counters.
--   p_member        null: loyalty ids alone
--   p_venue_limits  limits whose counters belong to venues: a venue may have the same id as the member
-- Replies how many calculations, sales and counters it changed. Locks: calculations, counters, accounts, sales.
create or replace function erase_member(
  p_member text, p_loyalty_ids text[], p_until timestamptz, p_venue_limits text[],
  out calculations bigint, out sales bigint, out counters bigint
)
language plpgsql as $$
declare
  v_name text := 'forgotten-' || gen_random_uuid();
  v_ids uuid[];
begin
  v_ids := array(
    select c.calculation_id from calculation c where c.member_id = p_member and c.answered_at < p_until
    union
    select c.calculation_id from calculation c where c.loyalty_id = any (p_loyalty_ids) and c.answered_at < p_until
    order by 1
  );
  perform 1 from calculation c where c.calculation_id = any (v_ids) order by c.calculation_id for update;
  with erased as (
    update calculation c set member_id = nullif(c.member_id, p_member), loyalty_id = null
    where c.calculation_id = any (v_ids)
    returning c.calculation_id, c.body_day
  )
  delete from calculation_body b using erased e where b.calculation_id = e.calculation_id and b.day = e.body_day;

  perform 1 from limit_counter k
  where k.subject = p_member and k.limit_id <> all (p_venue_limits)
  order by k.limit_id, k.subject, k.period for update;
  update limit_counter k set subject = v_name
  where k.subject = p_member and k.limit_id <> all (p_venue_limits)
    and not exists (select from member m where m.member_id = p_member);
  get diagnostics counters = row_count;
  perform forfeit_accounts(p_member);
  perform erase_events(p_member, p_until);
  delete from benefit_member m where m.member_id = p_member;

  -- The digest stays: a repeated event is answered, another one is a conflict.
  update sale s set loyalty_id = null, body = '{}'::bytea
  where s.calculation_id in (
    -- A union, so that each part uses its own index; `or` would read all sales by age.
    select x.calculation_id from sale x where x.loyalty_id = any (p_loyalty_ids) and x.recorded_at < p_until
    union
    select x.calculation_id from sale x
    where x.calculation_id = any (v_ids) and x.recorded_at < p_until and x.body <> '{}'::bytea
  );
  get diagnostics sales = row_count;
  calculations := cardinality(v_ids);
end
$$;
