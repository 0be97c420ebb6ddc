-- Loyalty ids that a change moved between this member and another, a JSON array of {loyaltyId, from, to}. They are read from the record
-- of the other member, which goes when that one is forgotten.
--   p_request          request id of the change; null: none are listed
--   p_before, p_after  of the record; one of an account has none
create or replace function audit_cards(p_request uuid, p_member text, p_before text, p_after text) returns json
language sql stable as $$
  with had as (
    select l.id from json_array_elements_text(snapshot_loyalty_ids(p_before)) l (id)
  ), has as (
    select l.id from json_array_elements_text(snapshot_loyalty_ids(p_after)) l (id)
  ), moved as (
    (select a.id, true as is_gained from has a except select h.id, true from had h)
    union all
    (select h.id, false from had h except select a.id, false from has a)
  )
  select coalesce(json_agg(json_build_object(
      'loyaltyId', m.id, 'from', case when m.is_gained then o.subject_id else p_member end,
      'to', case when m.is_gained then p_member else o.subject_id end
    ) order by m.id), '[]')
  from moved m
  cross join lateral (
    select p.member_id from past_loyalty_id p where p.loyalty_id = m.id
    union
    select x.member_id from member_loyalty_id x where x.loyalty_id = m.id
  ) c
  join audit_record o on o.subject_kind = 'member' and o.subject_id = c.member_id and o.request_id = p_request
  where c.member_id <> p_member
    and m.id in (
      select json_array_elements_text(snapshot_loyalty_ids(case when m.is_gained then o.before else o.after end))
    )
    and m.id not in (
      select json_array_elements_text(snapshot_loyalty_ids(case when m.is_gained then o.after else o.before end))
    )
$$;
