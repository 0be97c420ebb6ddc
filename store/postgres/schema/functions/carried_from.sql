-- The calculation whose answer the discounts come from that a basket carries as sent (page 4, section 9): the one it supersedes, else
-- the member's newest with these discounts, of the day before it; on a tie the smaller id.
-- Replies null: it carries none, or they cost nothing.
create or replace function carried_from(p_calculation calculation) returns uuid
language sql stable as $$
  select o.calculation_id
  from calculation o
  where p_calculation.carried > 0 and o.member_id = p_calculation.member_id
    and o.answered_at between p_calculation.answered_at - interval '1 day' and p_calculation.answered_at
    and o.calculation_id <> p_calculation.calculation_id
    and (o.calculation_id = p_calculation.supersedes_calculation_id or o.loyalty_discount_total = p_calculation.carried)
    and exists (select from value_hold h where h.calculation_id = o.calculation_id)
  order by (o.calculation_id = p_calculation.supersedes_calculation_id) is true desc, o.answered_at desc, o.calculation_id
  limit 1
$$;
