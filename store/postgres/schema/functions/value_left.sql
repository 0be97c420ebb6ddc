-- What is left in accounts of a member.
--   p_spends   JSON array of {currency_id, amount}, each currency once
--   p_freeing  calculation whose open holds count as left; null: none
-- Replies a JSON array of {currencyId, left} where an account has too little; null: all have enough.
-- Locks: the caller holds the accounts (lock_accounts).
create or replace function value_left(p_member text, p_spends json, p_freeing uuid) returns json
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  return (
    select case when bool_or(s.amount > s.left) then
      json_agg(json_build_object('currencyId', s.currency_id, 'left', s.left))
    end
    from (
      select w.currency_id, w.amount, coalesce(account_available(a.account_id), 0) + coalesce((
        select sum(p.amount)::bigint
        from value_hold h join value_hold_part p on p.calculation_id = h.calculation_id and p.account_id = h.account_id
        where h.calculation_id = p_freeing and h.account_id = a.account_id and h.state = 'open' and p.expires_at > v_now
      ), 0) as left
      from json_to_recordset(p_spends) as w (currency_id text, amount bigint)
      left join account a on a.member_id = p_member and a.currency_id = w.currency_id
    ) s
  );
end
$$;
