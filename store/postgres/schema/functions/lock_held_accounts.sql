-- Locks the accounts of which these calculations hold, or held, value, together with others of one member.
--   p_member, p_currencies  the others; they are created where they are missing
-- Locks: accounts by (member_id, currency_id); the calculations are locked already, so their member cannot be forgotten meanwhile.
create or replace function lock_held_accounts(p_calculations uuid[], p_member text, p_currencies text[]) returns void
language plpgsql as $$
begin
  perform lock_accounts(array_agg(n.member_id), array_agg(n.currency_id))
  from (
    select a.member_id, a.currency_id
    from value_hold h join account a on a.account_id = h.account_id
    where h.calculation_id = any (p_calculations)
    union
    select p_member, c.currency_id from unnest(p_currencies) c (currency_id) where p_member is not null
  ) n
  having count(*) > 0;
end
$$;
