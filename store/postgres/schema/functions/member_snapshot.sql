-- A member as audit records show it, JSON; null: there is none.
create or replace function member_snapshot(p_member text) returns text
language sql stable as $$
  select '{"loyaltyIds":' || coalesce((
      select json_agg(l.loyalty_id order by l.loyalty_id)::text from member_loyalty_id l where l.member_id = m.member_id
    ), '[]') || ',"profile":' || m.body || '}'
  from member m where m.member_id = p_member
$$;
