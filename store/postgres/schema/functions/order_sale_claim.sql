-- Gives a member what a sale earns that no member has: one that was charged as sent because the member was not found, or the rest of
-- one that failed for an unknown calculation which came later (earning_unknown). Once; nothing is spent by it.
--   p_member, p_loyalty_id  one of them; the other is null
--   p_counted               JSON of {earning, ladder}, both of the basket as sent for this member; null: its basket is gone
-- Replies
--   {"kind":"done","given":[{currencyId, amount}]}  discrepancies of the sale are set; earning_unknown is among them no more
--   {"kind":"unknown_member" | "blocked_member"}
--   {"kind":"unknown_sale"}          none, nothing was charged, or it repeats a transaction
--   {"kind":"already_claimed"}, {"kind":"has_member"}
--   {"kind":"unknown_calculation"}   it never came, {"kind":"body_gone"}
--   or a reply of take_order; except for done nothing is written. Locks: request id, member, calculation, ladder, accounts, visits,
-- sale.
create or replace function order_sale_claim(
  p_by change_context, p_order_digest bytea, p_member text, p_loyalty_id text, p_calculation uuid, p_counted text
) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_member text;
  v_calculation calculation;
  v_sale sale;
  v_kind text;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  v_member := lock_member(p_member, p_loyalty_id);
  select c.* into v_calculation from calculation c where c.calculation_id = p_calculation for update;
  select s.* into v_sale from sale s where s.calculation_id = p_calculation;
  v_kind := case
    when v_member is null then 'unknown_member'
    -- Quotes inside the strings of a body are escaped, so this matches only the field.
    when (select strpos(m.body, '"blocked":true') > 0 from member m where m.member_id = v_member) then 'blocked_member'
    when v_sale.status is null or v_sale.status = 'cancelled' or 'transaction_repeated' = any (v_sale.discrepancies) then 'unknown_sale'
    when v_sale.claimed_at is not null then 'already_claimed'
    when has_other_member(v_sale, v_calculation.member_id, v_member) then 'has_member'
    when v_calculation.calculation_id is null then 'unknown_calculation'
    when p_counted is null then 'body_gone'
  end;
  if v_kind is not null then
    return drop_order(p_by, json_build_object('kind', v_kind));
  end if;
  return keep_order(p_by, json_build_object(
    'kind', 'done', 'given', claim_sale(p_by, v_sale, v_member, p_counted::json)
  ));
end
$$;
