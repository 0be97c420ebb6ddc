-- Settles a calculation by its sale, compares the two, gives the member what the sale earns, counts its visit, and announces
-- the tier that it reaches.
--   p_sale         where its discrepancies say transaction_repeated, it uses and earns nothing, and is no visit
--   p_at           when the sale came; null: now
--   p_recounted    JSON of {earning}, what the rules count of what was paid, where that is less than the net; null: nobody has counted
--   discrepancies  all of them, those of settle_calculation and earn last, then transaction_repeated
--   freed          counters that got units back
-- Locks: the caller holds that of the calculation; counters, accounts, then visits are locked here.
create or replace function settle_sale(
  p_sale sale, p_calculation calculation, p_at timestamptz, p_recounted json, out discrepancies text[], out freed bigint[]
)
language plpgsql as $$
declare
  v_settled sale := p_sale;
begin
  v_settled.status := settled_status(p_sale);
  select compare_sale(p_sale, p_calculation) || t.late, t.freed into discrepancies, freed
  from settle_calculation(p_calculation, v_settled.status, p_at) t;
  -- A failed sale that came before its calculation has earned by itself (earn_unknown).
  if p_calculation.earning is not null and not (v_settled.status = 'failed' and v_settled.result = 'unknown_calculation') then
    discrepancies := discrepancies || earn(v_settled, p_calculation.member_id, case
      when not paid_less(v_settled, p_calculation) then p_calculation.earning
      when p_recounted is not null then p_recounted ->> 'earning'
      else scale_earning(p_calculation.earning, p_sale.paid_total, charged_net(p_sale, p_calculation))
    end);
  end if;
  -- One that failed before its calculation came was counted by its loyalty id.
  if v_settled.status in ('applied', 'unchanged', 'failed')
    and not (v_settled.status = 'failed' and p_sale.result = 'unknown_calculation' and p_sale.loyalty_id is not null)
  then
    perform count_visit(p_calculation.member_id);
  end if;
  perform announce_tier_of_sale(p_sale.calculation_id);
  if 'transaction_repeated' = any (p_sale.discrepancies) then
    discrepancies := discrepancies || 'transaction_repeated'::text;
  end if;
end
$$;
