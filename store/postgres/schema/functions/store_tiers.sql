-- Stores the tiers of a programme in the place of those before.
--   p_benefits  as of programme_version: an array, or an object that may have `tiers`
-- Locks: the caller holds lock_changes.
create or replace function store_tiers(p_benefits text) returns void
language plpgsql as $$
begin
  delete from value_tier;
  if json_typeof(p_benefits::json) = 'object' then
    insert into value_tier (tier_id, rank, currency_id, amount, window_months, keep_months)
    select t."tierId", t.rank, t."currencyId", t.amount, t."windowMonths", t."keepMonths"
    from json_to_recordset(p_benefits::json -> 'tiers')
      as t ("tierId" text, rank integer, "currencyId" text, amount bigint, "windowMonths" integer, "keepMonths" integer);
  end if;
end
$$;
