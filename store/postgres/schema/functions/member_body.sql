-- The body of a member after a change, written as JSON.stringify does, so that what is the same has the same text.
--   p_profile  JSON of {tier, segments, blocked, birthday, joinedOn}; a field that is left out stays as it is
--   p_body     the body before; null: the member is new
create or replace function member_body(p_profile text, p_body text) returns text
language sql immutable as $$
  select '{"tier":' || coalesce((n.p -> 'tier')::text, (n.b -> 'tier')::text, 'null')
    || ',"segments":' || coalesce((n.p -> 'segments')::text, (n.b -> 'segments')::text, '[]')
    || ',"blocked":' || coalesce((n.p -> 'blocked')::text, (n.b -> 'blocked')::text, 'false')
    || coalesce(',"birthday":' || nullif(coalesce((n.p -> 'birthday')::text, (n.b -> 'birthday')::text), 'null'), '')
    || coalesce(',"joinedOn":' || nullif(coalesce((n.p -> 'joinedOn')::text, (n.b -> 'joinedOn')::text), 'null'), '')
    || '}'
  from (select p_profile::json as p, p_body::json as b) n
$$;
