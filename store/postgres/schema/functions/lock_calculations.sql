-- Locks calculations in the order of their ids. For an id that is not stored, see claim_absence.
-- Replies the ids that are stored.
-- The order of locks in all functions: request id, lock_changes, members by id, calculations by id (new and stored ones alike), counters by (limit_id, subject, period),
-- accounts by (member_id, currency_id), sales. With new calculations first, two batches that supersede each other's calculations could deadlock.
create or replace function lock_calculations(p_calculations uuid[]) returns uuid[]
language plpgsql as $$
declare
  v_id uuid;
  v_locked uuid[] := '{}';
begin
  for v_id in select distinct unnest(p_calculations) as id order by id loop
    loop
      perform 1 from calculation c where c.calculation_id = v_id for update;
      if found then
        v_locked := v_locked || v_id;
        exit;
      end if;
      exit when claim_absence(v_id);
    end loop;
  end loop;
  return v_locked;
end
$$;
