-- Every loyalty id that a member has or had, without those that another member has now.
create or replace function loyalty_ids_ever(p_member text) returns text[]
language sql stable as $$
  select array(
    select h.loyalty_id from (
      select x.loyalty_id from member_loyalty_id x where x.member_id = p_member
      union
      select p.loyalty_id from past_loyalty_id p where p.member_id = p_member
      union
      select c.loyalty_id from calculation c where c.member_id = p_member and c.loyalty_id is not null
    ) h
    where not exists (
      select from member_loyalty_id x where x.loyalty_id = h.loyalty_id and x.member_id <> p_member
    )
  )
$$;
