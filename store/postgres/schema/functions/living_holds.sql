-- What a calculation wants to hold, with the member's counters in the name of whoever it was merged into (living_member).
--   p_record, p_holds  as of confirm_calculation
-- Locks: the member, shared, where it is the subject of a hold.
create or replace function living_holds(p_record json, p_holds json) returns json
language plpgsql as $$
declare
  v_member text := p_record ->> 'member_id';
  v_living text;
begin
  -- A venue may have the same id.
  if v_member = p_record ->> 'venue_id'
    or not exists (select from json_to_recordset(p_holds) as h (subject text) where h.subject = v_member) then
    return p_holds;
  end if;
  v_living := living_member(v_member);
  if v_living = v_member then
    return p_holds;
  end if;
  return (
    select json_agg(case when h.hold ->> 'subject' = v_member
      then h.hold::jsonb || jsonb_build_object('subject', v_living) else h.hold::jsonb end)
    from json_array_elements(p_holds) h (hold)
  );
end
$$;
