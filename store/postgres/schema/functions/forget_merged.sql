-- Forgets, with a member, those that were merged into it: their names on what was on its way, in closed accounts, audit records and
-- loyalty ids of old.
--   p_venue_limits  as of erase_member
-- Locks: as erase_member; the caller holds lock_changes and has forgotten p_member.
create or replace function forget_merged(p_request uuid, p_member text, p_venue_limits text[]) returns void
language plpgsql as $$
declare
  v_merged text;
begin
  for v_merged in select g.member_id from merged_member g where g.into_id = p_member order by g.member_id loop
    insert into erasure (request_id, member_id, loyalty_ids) values (p_request, v_merged, '{}');
    perform erase_member(v_merged, '{}', 'infinity', p_venue_limits);
    delete from audit_record a where a.subject_kind = 'member' and a.subject_id = v_merged;
    delete from past_loyalty_id p where p.member_id = v_merged;
    insert into forgotten (digest) select forgotten_digest(k, 'member', v_merged) from forgetting_key k on conflict do nothing;
  end loop;
  delete from merged_loyalty_id g where g.into_id = p_member;
  delete from merged_member g where g.into_id = p_member;
end
$$;
