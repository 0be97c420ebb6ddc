-- As of lock_accounts, but as an array: a sale passes it on, and rows would be collected twice.
create or replace function locked_accounts(p_members text[], p_currencies text[]) returns account[]
language plpgsql as $$
declare
  v_members text[] := p_members;
  v_accounts account[];
  v_ids bigint[];
  v_account account;
  v_now timestamptz;
  v_soon timestamptz;
  v_ended uuid[];
  v_locked account[] := '{}';
begin
  -- Joined: for `not exists` the planner could read all accounts.
  if exists (
    select from unnest(p_members, p_currencies) n (member_id, currency_id)
    left join account a on a.member_id = n.member_id and a.currency_id = n.currency_id
    left join merged_member g on g.member_id = n.member_id
    where a.account_id is null or g.member_id is not null
  ) then
    v_members := array(
      select coalesce(g.into_id, n.member_id) from unnest(p_members) with ordinality n (member_id, place)
      left join merged_member g on g.member_id = n.member_id
      order by n.place
    );
    insert into account (member_id, currency_id)
    select distinct n.member_id collate "C", n.currency_id collate "C"
    from unnest(v_members, p_currencies) n (member_id, currency_id)
    where not exists (select from account a where a.member_id = n.member_id and a.currency_id = n.currency_id)
    order by 1, 2
    on conflict do nothing;
  end if;
  select array_agg(l), array_agg(l.account_id) into v_accounts, v_ids
  from (
    select a.*
    from (select distinct n.member_id, n.currency_id from unnest(v_members, p_currencies) n (member_id, currency_id)) n
    join account a on a.member_id = n.member_id and a.currency_id = n.currency_id
    order by a.member_id, a.currency_id
    for update of a
  ) l;

  v_now := clock_timestamp();
  v_soon := v_now + interval '7 days';
  -- Most have nothing to follow, release, write or announce, and one look at all of them together says so.
  if not (
    exists (select from merged_member g where g.member_id = any (v_members))
    or exists (select from value_hold h where h.account_id = any (v_ids) and h.held_until <= v_now)
    or exists (
      select from lot l
      where l.account_id = any (v_ids) and (
        (l.expires_at <= v_soon and (not l.expiry_announced or (l.expires_at <= v_now and l.amount > l.held)))
        or (l.awaits_opening and l.opens_at <= v_now)
      )
    )
  ) then
    return v_accounts;
  end if;
  foreach v_account in array coalesce(v_accounts, '{}') loop
    if exists (select from merged_member g where g.member_id = v_account.member_id) then
      v_locked := v_locked || locked_accounts(array[v_account.member_id], array[v_account.currency_id]);
      continue;
    end if;
    v_ended := array(select h.calculation_id from value_hold h where h.account_id = v_account.account_id and h.held_until <= v_now);
    if v_ended <> '{}' then
      perform release_value(v_ended, array[v_account.account_id]);
    end if;
    perform expire_lots(v_account.account_id);
    v_locked := v_locked || v_account;
  end loop;
  return v_locked;
end
$$;
