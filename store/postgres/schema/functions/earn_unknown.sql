-- Gives a member what a sale earns that failed for an unknown calculation; when the calculation comes, it earns nothing more.
-- A sale may come again when it was pruned: what it earned stays, and it earns nothing more.
--   p_counted  JSON of {memberId, earning, isPartial}: what could be counted of what was paid; '' or null: nothing
-- Replies discrepancies: earning_unknown where some rules could not be counted, value_full as of earn.
-- Locks: the caller holds the absence of the calculation; accounts are locked here.
create or replace function earn_unknown(p_sale sale, p_counted text) returns text[]
language sql as $$
  select case when c.counted -> 'isPartial' = 'true' then array['earning_unknown'] else '{}' end
    || case
      when c.counted ->> 'earning' is null then '{}'
      when exists (select from earned e where e.calculation_id = p_sale.calculation_id) then '{}'
      else earn(p_sale, c.counted ->> 'memberId', c.counted ->> 'earning')
    end
  from (select nullif(p_counted, '')::jsonb as counted) c
$$;
