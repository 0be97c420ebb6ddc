-- Announces the tier of the member that a sale gave something that tiers count (announce_tier). Call it after the sale, a claim or a
-- return has changed `earned`. A programme without tiers pays one look into an empty table.
-- Locks: the caller holds the accounts; visits are locked here.
create or replace function announce_tier_of_sale(p_calculation uuid) returns void
language plpgsql as $$
declare
  v_member text;
begin
  if not exists (select from value_tier) then
    return;
  end if;
  select min(a.member_id) into v_member
  from earned e join account a on a.account_id = e.account_id
  where e.calculation_id = p_calculation and e.given > 0
    and a.currency_id in (select t.currency_id from value_tier t);
  if v_member is not null then
    perform lock_visits(array[v_member]);
    perform announce_tier(v_member);
  end if;
end
$$;
