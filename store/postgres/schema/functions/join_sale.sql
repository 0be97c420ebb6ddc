-- Joins a calculation that was just stored to the sale that came before it; does nothing where there is no sale.
-- Locks: the caller holds that of the calculation, so nobody else joins the sale; counters, accounts, visits and then the sale are locked here.
create or replace function join_sale(p_calculation uuid) returns void
language plpgsql as $$
declare
  v_calculation calculation;
  v_sale sale;
  v_discrepancies text[];
begin
  select s.* into v_sale from sale s where s.calculation_id = p_calculation;
  if not found then
    return;
  end if;
  select c.* into strict v_calculation from calculation c where c.calculation_id = p_calculation;
  select t.discrepancies into v_discrepancies from settle_sale(v_sale, v_calculation, v_sale.recorded_at, null) t;
  update sale s
  set discrepancies = v_discrepancies || array(select w from unnest(s.discrepancies) w where w in ('earning_unknown', 'value_full')),
    joined_at = clock_timestamp()
  where s.calculation_id = p_calculation;
  insert into joined_sale (calculation_id) values (p_calculation) on conflict do nothing;
end
$$;
