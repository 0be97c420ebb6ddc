-- Adds an entry of a movement: p_amount to the account, the opposite to the system account. And the event of it; the cause of an import
-- is not in that, because it may name the member.
-- The caller changes lots and debt by the same amount, and holds the account.
create or replace function add_entry(p_movement movement, p_account bigint, p_against system_account, p_amount bigint) returns void
language plpgsql as $$
declare
  v_kind text := (p_movement).kind;
  v_type text := 'value.' || v_kind;
begin
  insert into entry (movement_id, account_id, amount, at, against)
  values ((p_movement).movement_id, p_account, p_amount, (p_movement).at, p_against);
  -- A call of it costs each sale 0.1 ms.
  if v_kind in ('activated', 'cancelled', 'used') then
    v_type := value_event_type(v_kind, p_against, p_account);
  end if;
  insert into event (at, type, member_id, body)
  select (p_movement).at, v_type, case when v_kind <> 'forfeited' then a.member_id end, json_build_object(
    'currencyId', a.currency_id, 'amount', p_amount, 'movementId', (p_movement).movement_id,
    'cause', case when v_kind <> 'imported' then (p_movement).cause end
  )::text
  from account a where a.account_id = p_account;
end
$$;
