-- Who has the value of a member now: itself, or the one that it was merged into. Kept from being merged or forgotten until the end of
-- the transaction; who is no member, is answered as named.
-- Locks: the member, shared; before calculations.
create or replace function living_member(p_member text) returns text
language plpgsql as $$
declare
  v_member text := p_member;
begin
  loop
    perform 1 from member m where m.member_id = v_member for key share;
    if found then
      return v_member;
    end if;
    select g.into_id into v_member from merged_member g where g.member_id = p_member;
    if not found then
      return p_member;
    end if;
    -- It may be merged meanwhile, or forgotten, and then nobody follows it.
    exit when not exists (select from member m where m.member_id = v_member);
  end loop;
  return v_member;
end
$$;
