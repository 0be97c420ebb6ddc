-- Whether two actors are one. A person is called "label (subject)", and the provider may let people change their label, which has no
-- parenthesis; a token is called "role-digest", and may get another role.
create or replace function same_person(p_one text, p_other text) returns boolean
language sql immutable as $$
  select substring(p_one from '[(].*$|[^-(]*$') = substring(p_other from '[(].*$|[^-(]*$')
$$;
