-- The state that a reservation must have according to its calculation and its sale. An expired reservation may be released already or
-- still open: it is released when its units are needed.
create or replace function due_state(p_reservation reservation, p_calculation calculation, p_sale sale) returns reservation_state
language sql volatile as $$
  select case
    when p_calculation.state = 'open' then
      case when p_reservation.state = 'open' or p_calculation.expires_at > clock_timestamp() then 'open' else 'released' end
    when settled_status(p_sale) = 'applied' or (settled_status(p_sale) = 'unchanged' and p_calculation.status = 'unchanged') then
      case
        when p_calculation.state = 'finalised' then 'used'
        when p_calculation.state in ('expired', 'superseded') then 'late'
        else 'released'
      end
    else 'released'
  end::reservation_state
$$;
