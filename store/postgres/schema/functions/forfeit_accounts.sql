-- Takes everything out of a forgotten member's accounts, debt and what calculations hold included, and gives them a random name. Every
-- sum stays.
-- Reasons and import references go, because they may name the member, and so do its wrong codes, visits and given tier. A member that was enrolled again keeps its accounts.
-- Locks: accounts by (member_id, currency_id), then the visits.
create or replace function forfeit_accounts(p_member text) returns void
language plpgsql as $$
declare
  v_name text := 'forgotten-' || gen_random_uuid();
  v_account account;
  v_left bigint;
  v_movement movement;
begin
  if exists (select from member m where m.member_id = p_member) then
    return;
  end if;
  delete from wrong_code w where w.member_id = p_member;
  delete from given_tier g where g.member_id = p_member;
  for v_account in
    select a.* from account a where a.member_id = p_member order by a.currency_id for update
  loop
    perform release_value(array(
      select h.calculation_id from value_hold h where h.account_id = v_account.account_id and h.held_until is not null
    ), array[v_account.account_id]);
    -- So that a late sale finds nothing to use.
    delete from value_hold h where h.account_id = v_account.account_id and h.amount > 0 and h.state = 'released';
    perform expire_lots(v_account.account_id);
    v_left := coalesce((select sum(l.amount) from lot l where l.account_id = v_account.account_id), 0) - v_account.debt;
    if v_left <> 0 then
      v_movement := add_movement('forfeited', 'account:' || v_account.account_id, '', '');
      perform add_entry(v_movement, v_account.account_id, 'forfeited', -v_left);
    end if;
    delete from lot l where l.account_id = v_account.account_id;
    delete from activation_part p using activation n
    where n.from_account = v_account.account_id and p.activation_id = n.activation_id;
    delete from activation n where n.from_account = v_account.account_id;
    update account a set member_id = v_name, debt = 0 where a.account_id = v_account.account_id;
    perform erase_movements(v_account.account_id);
  end loop;
  delete from announced_tier a where a.member_id = p_member;
  delete from member_visits v where v.member_id = p_member;
end
$$;
