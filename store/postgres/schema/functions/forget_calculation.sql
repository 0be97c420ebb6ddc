-- Deletes a calculation with its body, its reservations and its holds, none of which is open. Locks: the caller holds that of the calculation.
create or replace function forget_calculation(p_calculation uuid) returns void
language plpgsql as $$
declare
  v_day date;
begin
  delete from calculation c where c.calculation_id = p_calculation returning c.body_day into v_day;
  delete from calculation_body b where b.day = v_day and b.calculation_id = p_calculation;
  delete from reservation r where r.calculation_id = p_calculation;
  delete from value_hold h where h.calculation_id = p_calculation;
end
$$;
