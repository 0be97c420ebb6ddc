-- Moves the accounts of a member into those of another (merge_account). The member's accounts of all currencies are locked, also those
-- that it never had: so a sale that still names the member finds the other's (lock_accounts), and opens none meanwhile.
-- Replies {"kind":"done","accounts": rows of merge_account} or {"kind":"out_of_range","currencyId"}.
-- Locks: accounts by (member_id, currency_id); the caller holds both members.
create or replace function merge_accounts(p_by change_context, p_from text, p_into text) returns json
language plpgsql as $$
declare
  v_currencies text[] := array(select k.currency_id from value_currency k);
  v_had text[] := array(select a.currency_id from account a where a.member_id = p_from);
  v_from account;
  v_into account;
  v_before text;
  v_row json;
  v_rows json[] := '{}';
begin
  perform lock_accounts(
    array_fill(p_from, array[cardinality(v_currencies || v_had)]) || array_fill(p_into, array[cardinality(v_had)]),
    v_currencies || v_had || v_had
  );
  for v_from in
    select a.* from account a
    where a.member_id = p_from and (
      exists (select from entry e where e.account_id = a.account_id)
      or exists (select from earned_total t where t.account_id = a.account_id)
    )
    order by a.currency_id
  loop
    -- A sale may have opened it since they were listed.
    select l.* into strict v_into from lock_accounts(array[p_into], array[v_from.currency_id]) l;
    v_before := account_snapshot(v_into.account_id);
    v_row := merge_account(p_by, p_from, v_from, v_into);
    if v_row is null then
      return json_build_object('kind', 'out_of_range', 'currencyId', v_from.currency_id);
    end if;
    v_rows := v_rows || v_row;
    if account_snapshot(v_into.account_id) <> v_before then
      perform audit_accounts(p_by, array[v_into.account_id], array[v_before]);
    end if;
  end loop;
  return json_build_object('kind', 'done', 'accounts', to_json(v_rows));
end
$$;
