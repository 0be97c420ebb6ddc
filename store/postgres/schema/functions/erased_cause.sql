-- What stands for an import cause after its member is forgotten: its reference may name the member, and still counts as used.
create or replace function erased_cause(p_key forgetting_key, p_cause text) returns text
language sql immutable as $$
  select 'erased:' || encode(forgotten_digest(p_key, 'import', p_cause), 'hex')
$$;
