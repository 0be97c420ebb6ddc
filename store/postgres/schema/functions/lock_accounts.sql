-- Locks the accounts of these members and currencies, creates those that are missing, releases what expired calculations hold of them,
-- and writes what has expired (expire_lots). The account of a merged member is that of the member that it was merged into.
--   p_members, p_currencies  of each account; the same length, in any order, repeats allowed
-- Replies the accounts. One whose member was forgotten while we waited for it is not among them.
-- Locks: accounts by (member_id, currency_id); where a member was merged while we waited for its account, then the one that has its value.
create or replace function lock_accounts(p_members text[], p_currencies text[]) returns setof account
language plpgsql as $$
declare
  v_members text[] := array(
    select coalesce(g.into_id, n.member_id) from unnest(p_members) with ordinality n (member_id, place)
    left join merged_member g on g.member_id = n.member_id
    order by n.place
  );
  v_account account;
  v_now timestamptz;
  v_ended uuid[];
begin
  insert into account (member_id, currency_id)
  select distinct n.member_id collate "C", n.currency_id collate "C"
  from unnest(v_members, p_currencies) n (member_id, currency_id)
  where not exists (select from account a where a.member_id = n.member_id and a.currency_id = n.currency_id)
  order by 1, 2
  on conflict do nothing;
  for v_account in
    select a.*
    from (select distinct n.member_id, n.currency_id from unnest(v_members, p_currencies) n (member_id, currency_id)) n
    join account a on a.member_id = n.member_id and a.currency_id = n.currency_id
    order by a.member_id, a.currency_id
    for update of a
  loop
    if exists (select from merged_member g where g.member_id = v_account.member_id) then
      return query select l.* from lock_accounts(array[v_account.member_id], array[v_account.currency_id]) l;
      continue;
    end if;
    v_now := clock_timestamp();
    v_ended := array(select h.calculation_id from value_hold h where h.account_id = v_account.account_id and h.held_until <= v_now);
    if v_ended <> '{}' then
      perform release_value(v_ended, array[v_account.account_id]);
    end if;
    perform expire_lots(v_account.account_id);
    return next v_account;
  end loop;
end
$$;
