-- What is known for returns of a sale.
-- Replies
--   {"kind":"laddered","ladder","returned","refunded"}  thousandths and minor units by line of the ladder
--   {"kind":"sold","sale":{"asReturned","paidTotal","spending"}}
--     no ladder is stored yet; paidTotal: where less than the net was paid; spending: what it used, as of calculation.spending
--   {"kind":"not_sold"}                                 no sale was charged, it repeats a transaction, or it failed before
--                                                       its calculation was known
--   {"kind":"unknown_calculation"}
create or replace function return_state(p_calculation uuid) returns json
language plpgsql stable as $$
declare
  v_ladder json := (select l.ladder from sale_ladder l where l.calculation_id = p_calculation);
  v_returned bigint[];
  v_calculation calculation;
  v_sale sale;
begin
  if v_ladder is not null then
    v_returned := returned_lines(p_calculation, v_ladder);
    return json_build_object('kind', 'laddered', 'ladder', v_ladder, 'returned', v_returned, 'refunded', (
      select json_agg(div(v_returned[l.place] * (l.line ->> 2)::numeric, (l.line ->> 1)::numeric) order by l.place)
      from json_array_elements(v_ladder -> 'lines') with ordinality as l (line, place)
    ));
  end if;
  select c.* into v_calculation from calculation c where c.calculation_id = p_calculation;
  select s.* into v_sale from sale s where s.calculation_id = p_calculation;
  if v_calculation.calculation_id is null and v_sale.calculation_id is null then
    return '{"kind":"unknown_calculation"}';
  end if;
  if v_calculation.calculation_id is null or v_sale.calculation_id is null or v_sale.status = 'cancelled'
    or 'transaction_repeated' = any (v_sale.discrepancies)
    or (v_sale.status = 'failed' and v_sale.result = 'unknown_calculation')
  then
    return '{"kind":"not_sold"}';
  end if;
  return json_build_object('kind', 'sold', 'sale', json_build_object(
    'asReturned', v_sale.status = 'applied' and v_calculation.status = 'applied',
    'paidTotal', case when v_sale.paid_total < charged_net(v_sale, v_calculation) then v_sale.paid_total end,
    'spending', (
      select c.spending from used_holds(p_calculation) h join calculation c on c.calculation_id = h.calculation_id limit 1
    )
  ));
end
$$;
