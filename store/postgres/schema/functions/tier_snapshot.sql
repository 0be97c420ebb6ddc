-- The tier that a member was given, as audit records show it, JSON; null: none.
create or replace function tier_snapshot(p_member text) returns text
language sql stable as $$
  select json_build_object('tier', g.tier_id, 'until', milliseconds(g.until), 'reason', g.reason)::text
  from given_tier g where g.member_id = p_member
$$;
