-- Locks the accounts of these members and currencies, creates those that are missing, releases what expired calculations hold of them,
-- and writes what has expired (expire_lots).
--   p_members, p_currencies  of each account; the same length, in any order, repeats allowed
-- Replies the accounts, each once. One whose member was forgotten while we waited for it is not among them.
-- Locks: accounts by (member_id, currency_id).
create or replace function lock_accounts(p_members text[], p_currencies text[]) returns setof account
language plpgsql as $$
declare
  v_account account;
  v_now timestamptz;
  v_ended uuid[];
begin
  insert into account (member_id, currency_id)
  select distinct n.member_id collate "C", n.currency_id collate "C"
  from unnest(p_members, p_currencies) n (member_id, currency_id)
  where not exists (select from account a where a.member_id = n.member_id and a.currency_id = n.currency_id)
  order by 1, 2
  on conflict do nothing;
  for v_account in
    select a.*
    from (select distinct n.member_id, n.currency_id from unnest(p_members, p_currencies) n (member_id, currency_id)) n
    join account a on a.member_id = n.member_id and a.currency_id = n.currency_id
    order by a.member_id, a.currency_id
    for update of a
  loop
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
