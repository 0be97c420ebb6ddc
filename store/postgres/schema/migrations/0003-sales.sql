-- Sales, and how they settle what a calculation holds (contract 3.1, wire decisions 5).

-- Takes the key of a calculation that is not there, so that whoever is about to store it waits for this transaction and
-- then sees what it wrote. Waits for whoever is storing it now; replies false where it is there after that.
create function claim_absence(p_calculation uuid) returns boolean
language plpgsql as $$
begin
  insert into calculation (
    calculation_id, net_before, net_after, loyalty_discount_total, answered_at, expires_at, programme_version, body_day,
    status, optimal, confirmed, venue_id, bax_id, channel, currency, requested_at
  )
  values (p_calculation, 0, 0, 0, 'epoch', 'epoch', 0, 'epoch', 'unchanged', true, false, '', '', '', '', '')
  on conflict do nothing;
  if not found then
    return false;
  end if;
  delete from calculation c where c.calculation_id = p_calculation;
  return true;
end
$$;

-- Where a sale's own words disagree with its calculation; what the event leaves out is not compared.
create function compare_sale(p_sale sale, p_calculation calculation) returns text[]
language sql stable as $$
  select array_remove(array[
    case when p_sale.status not in ('failed', 'cancelled') and p_sale.status::text <> p_calculation.status::text
      then 'status_mismatch' end,
    case when p_sale.currency <> p_calculation.currency then 'currency_mismatch' end,
    case when p_sale.venue_id is distinct from p_calculation.venue_id then 'venue_mismatch' end,
    case when p_sale.loyalty_id_sent and p_sale.loyalty_id is distinct from p_calculation.loyalty_id
      then 'loyalty_id_mismatch' end,
    case when p_sale.paid_total
        <> case when p_sale.status = 'applied' then p_calculation.net_after else p_calculation.net_before end
      then 'paid_total_mismatch' end,
    case when p_sale.status = 'applied' and p_sale.loyalty_discount_total <> p_calculation.loyalty_discount_total
      then 'discount_total_mismatch' end
  ], null)
$$;

-- Settles a calculation by a sale: moves its state, uses or gives back what it holds. The calculation's row is locked.
--   p_at         when the sale came; null: now
--   late         words for what came too late: late_event or superseded, limit_exceeded
--   freed        counters that got something back
create function settle_calculation(
  p_calculation calculation, p_status sale_status, p_at timestamptz, out late text[], out freed bigint[]
)
language plpgsql as $$
declare
  v_id uuid := p_calculation.calculation_id;
  -- An unchanged calculation holds something only where the basket as sent already had its discounts: charged, they are used.
  v_given boolean := p_status = 'applied' or (p_status = 'unchanged' and p_calculation.status = 'unchanged');
begin
  late := '{}';
  freed := '{}';
  perform lock_counters(array[v_id]);
  -- Only under the locks: until then somebody may find it expired and take what it held.
  if p_calculation.state = 'open'
    and coalesce(p_at, clock_timestamp()) < p_calculation.expires_at
    and not exists (select from reservation r where r.calculation_id = v_id and r.state = 'released')
  then
    if v_given then
      perform use_reservations(v_id);
    else
      freed := release_reservations(array[v_id]);
    end if;
    update calculation c
    set state = case when p_status = 'cancelled' then 'abandoned' else 'finalised' end::calculation_state
    where c.calculation_id = v_id;
    return;
  end if;
  if p_calculation.state = 'open' then
    update calculation c set state = 'expired' where c.calculation_id = v_id;
  end if;
  freed := release_reservations(array[v_id]);
  late := array[case when p_calculation.state = 'superseded' then 'superseded' else 'late_event' end];
  if v_given and use_late(v_id) then
    late := late || 'limit_exceeded'::text;
  end if;
end
$$;

-- Joins a calculation that has just been stored to the sale that came before it, if one did. Its row is locked.
create function join_sale(p_calculation uuid) returns void
language plpgsql as $$
declare
  v_calculation calculation;
  v_sale sale;
  v_late text[];
begin
  select s.* into v_sale from sale s where s.calculation_id = p_calculation for update;
  if not found then
    return;
  end if;
  select c.* into strict v_calculation from calculation c where c.calculation_id = p_calculation;
  select t.late into v_late from settle_calculation(v_calculation, v_sale.status, v_sale.recorded_at) t;
  update sale s
  set discrepancies = compare_sale(v_sale, v_calculation) || v_late, joined_at = clock_timestamp()
  where s.calculation_id = p_calculation;
end
$$;

-- Records a sale event exactly once.
--   p_sale           JSON of a row of `sale` as the event has it
--   p_idempotency_s  how long a stored sale answers a repeated event, in seconds
--   reply            recorded             stored; the calculation has moved on
--                    unknown_calculation  stored; there is no calculation yet
--                    stored               nothing written: `digest`, `body`, `result` of the sale that is there
--                    duplicate            nothing written: one is there, stored longer ago than that
--   discrepancies    JSON array of words
--   freed            JSON array of counters that got something back
create function record_sale(
  p_sale json, p_digest bytea, p_body bytea, p_idempotency_s integer,
  out reply text, out discrepancies json, out freed json, out digest bytea, out body bytea, out result sale_result
)
language plpgsql as $$
declare
  v_sale sale := json_populate_record(null::sale, p_sale);
  v_calculation calculation;
  v_known boolean;
  v_late text[] := '{}';
  v_freed bigint[] := '{}';
begin
  perform require_durable();
  loop
    select c.* into v_calculation from calculation c where c.calculation_id = v_sale.calculation_id for update;
    v_known := found;
    exit when v_known;
    exit when claim_absence(v_sale.calculation_id);
  end loop;

  -- Every sale of this calculation has waited for its turn by now.
  select
      case when s.recorded_at > clock_timestamp() - make_interval(secs => p_idempotency_s) then 'stored' else 'duplicate' end,
      s.digest, s.body, s.result
    into reply, digest, body, result
    from sale s where s.calculation_id = v_sale.calculation_id;
  if found then
    return;
  end if;

  v_sale.digest := p_digest;
  v_sale.body := p_body;
  v_sale.recorded_at := clock_timestamp();
  if v_known then
    v_sale.result := 'recorded';
    select t.late, t.freed into v_late, v_freed from settle_calculation(v_calculation, v_sale.status, null) t;
    v_sale.discrepancies := compare_sale(v_sale, v_calculation) || v_late;
  else
    v_sale.result := 'unknown_calculation';
    v_sale.discrepancies := array['unknown_calculation'];
  end if;
  insert into sale select v_sale.*;

  reply := v_sale.result;
  discrepancies := to_json(v_sale.discrepancies);
  select coalesce(json_agg(json_build_object('limitId', k.limit_id, 'subject', k.subject, 'period', k.period)), '[]')
    into freed
    from limit_counter k where k.counter_id = any (v_freed);
end
$$;
