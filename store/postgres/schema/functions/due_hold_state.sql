-- The state that a hold must have according to its calculation and its sale, as due_state. A hold whose calculation was deleted stays as
-- it is.
create or replace function due_hold_state(p_hold value_hold, p_calculation calculation, p_sale sale) returns reservation_state
language sql volatile as $$
  select case when p_calculation.calculation_id is null then p_hold.state
    else due_state(row(p_hold.calculation_id, 0, p_hold.amount, p_hold.held_until, p_hold.state)::reservation, p_calculation, p_sale)
  end
$$;
