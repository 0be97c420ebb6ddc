-- What each rule would give a member if a basket were sold now as returned, as JSON by ruleId; a rule that is not named gives nothing.
-- Reads alone, and locks nothing: it looks at the accounts that `locked_accounts` would lock. One that is missing is empty.
--   p_member   null: one that has nothing yet
--   p_earning  what the rules count, as of `calculation.earning`
create or replace function quote_earning(p_member text, p_earning text) returns json
language plpgsql stable as $$
declare
  v_earning jsonb := p_earning;
  v_rules earning_rule[] := array(select r from earning_rules(v_earning, true) r);
  v_member text := coalesce((select g.into_id from merged_member g where g.member_id = p_member), p_member);
  v_accounts account[] := array(
    select case when a.account_id is null
      then jsonb_populate_record(null::account, jsonb_build_object('account_id', -n.place, 'currency_id', n.currency_id, 'debt', 0))
      else a
    end
    from (select r.currency_id, min(r.place) as place from unnest(v_rules) r group by r.currency_id) n
    left join account a on a.member_id = v_member and a.currency_id = n.currency_id
  );
begin
  return (
    select coalesce(json_object_agg(d.rule_id, d.given), '{}')
    from earning_due(v_rules, v_accounts, moment_of((v_earning ->> 'at')::bigint * 1000), (v_earning ->> 'day')::date) d
  );
end
$$;
