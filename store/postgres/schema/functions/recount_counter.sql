-- Compares one counter with its reservations, in one snapshot. Units of deleted calculations (pruned_*) are added.
--   p_rows       reservations read at most
--   passed_over  it has more than p_rows; nothing was compared
--   difference   text with both sides; null: no difference
create or replace function recount_counter(p_counter bigint, p_rows integer, out passed_over boolean, out difference text)
language sql volatile as $$
  select d.rows > p_rows, case
    when d.rows <= p_rows and (k.open, k.used, k.late) <> (d.open, d.used + k.pruned_used, d.late + k.pruned_late) then
      format('%s|%s|%s: open %s, used %s, late %s; by the records open %s, used %s, late %s',
        k.limit_id, k.subject, k.period, k.open, k.used, k.late, d.open, d.used + k.pruned_used, d.late + k.pruned_late)
  end
  from limit_counter k, lateral (
    select count(*) as rows,
      coalesce(sum(e.units) filter (where e.due = 'open'), 0)::bigint as open,
      coalesce(sum(e.units) filter (where e.due = 'used'), 0)::bigint as used,
      coalesce(sum(e.units) filter (where e.due = 'late'), 0)::bigint as late
    from (
      select r.units, due_state(r, c, s) as due
      from (
        select * from reservation o where o.counter_id = p_counter and o.units > 0 limit p_rows + 1
      ) o
      join reservation r on r.calculation_id = o.calculation_id and r.counter_id = o.counter_id
      left join calculation c on c.calculation_id = r.calculation_id
      left join sale s on s.calculation_id = r.calculation_id
    ) e
  ) d
  where k.counter_id = p_counter
$$;
