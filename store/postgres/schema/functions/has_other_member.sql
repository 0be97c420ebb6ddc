-- Whether a sale cannot be claimed for a member: somebody has earned by it or was found for its basket. Of one that failed for an
-- unknown calculation the same member may claim the rest.
--   p_found  member of its calculation; null: none
create or replace function has_other_member(p_sale sale, p_found text, p_member text) returns boolean
language sql stable as $$
  select case when 'earning_unknown' = any (p_sale.discrepancies)
    then coalesce(p_found <> p_member, false) or exists (
      select from earned e join account a on a.account_id = e.account_id
      where e.calculation_id = p_sale.calculation_id and a.member_id <> p_member
    )
    else p_found is not null
  end
$$;
