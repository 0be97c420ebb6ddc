-- Credits members with an amount each, as one movement.
--   p_members     each once; may be empty
--   p_expires_at  infinity: never
-- Replies null, or {"kind":"out_of_range","place"} of the first member whose account would pass its bound, and then nothing is written.
-- Locks: the caller holds the members; accounts.
create or replace function issue_vouchers(
  p_by change_context, p_members text[], p_currency text, p_amount bigint, p_expires_at timestamptz
) returns json
language plpgsql as $$
declare
  v_accounts bigint[];
  v_before text[];
  v_place integer;
  v_movement movement;
  v_account bigint;
begin
  if cardinality(p_members) = 0 then
    return null;
  end if;
  perform lock_accounts(p_members, array_fill(p_currency, array[cardinality(p_members)]));
  v_accounts := array(
    select a.account_id from unnest(p_members) with ordinality n (member_id, place)
    join account a on a.member_id = n.member_id and a.currency_id = p_currency
    order by n.place
  );
  v_place := (
    select min(n.place) - 1 from unnest(v_accounts) with ordinality n (account_id, place)
    where account_room(n.account_id, true) < p_amount
  );
  if v_place is not null then
    return json_build_object('kind', 'out_of_range', 'place', v_place);
  end if;
  v_before := array(
    select account_snapshot(n.account_id) from unnest(v_accounts) with ordinality n (account_id, place) order by n.place
  );
  v_movement := add_movement('issued', 'request:' || p_by.request_id, '', p_by.actor);
  if v_movement.movement_id is null then
    return '{"kind":"request_id_conflict"}';
  end if;
  foreach v_account in array v_accounts loop
    perform credit(v_movement, v_account, 'issued', p_amount, v_movement.at, p_expires_at, true);
  end loop;
  perform audit_accounts(p_by, v_accounts, v_before);
  return null;
end
$$;
