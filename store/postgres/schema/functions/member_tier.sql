-- The tier of a member by the ledger's clock.
--   tier_id  null: it has none, or nothing computes one: then the one that is stored with the member counts
--   until    exclusive, if nothing more is earned
--   reason   why somebody gave it; null: it was earned
create or replace function member_tier(p_member text, out tier_id text, out until timestamptz, out reason text)
language plpgsql stable as $$
declare
  v_now timestamptz := clock_timestamp();
  v_tier value_tier;
begin
  if not exists (select from value_tier) then
    return;
  end if;
  select g.tier_id, g.until, g.reason into tier_id, until, reason
  from given_tier g where g.member_id = p_member and g.until > v_now;
  if found then
    return;
  end if;
  for v_tier in select t.* from value_tier t order by t.rank desc loop
    until := (
      select tier_until(a.account_id, v_tier, v_now) from account a
      where a.member_id = p_member and a.currency_id = v_tier.currency_id
    );
    if until > v_now then
      tier_id := v_tier.tier_id;
      return;
    end if;
  end loop;
  until := null;
end
$$;
