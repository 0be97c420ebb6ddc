-- What prices depend on of a member's value: JSON of {balances}, what each account has open and not expired, held or not.
create or replace function member_hints(p_member text) returns json
language sql stable as $$
  select json_build_object('balances', coalesce((
    select json_object_agg(b.currency_id, b.amount)
    from (
      select a.currency_id, sum(l.amount)::bigint as amount
      from account a join lot l on l.account_id = a.account_id
      where a.member_id = p_member and l.opens_at <= statement_timestamp() and l.expires_at > statement_timestamp()
      group by a.currency_id
    ) b
  ), '{}'))
$$;
