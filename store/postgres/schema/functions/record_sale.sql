-- Records a sale event exactly once.
--   p_sale           JSON of a row of `sale` as the event has it
--   p_digest, p_body  SHA-256 of the event, and the event
--   p_idempotency_s  how long a stored sale answers a repeated event, in seconds
--   p_recounted      JSON of {earning}, what the rules count of what was paid, or as of earn_unknown; '': nobody can tell; null: not
--                    asked yet
-- Replies
--   recorded             stored; the calculation is settled, discrepancies and freed (JSON array of counters) are set
--   unknown_calculation  stored; there is no calculation yet
--   stored               nothing written: digest, body and result are those of the stored sale
--   duplicate            nothing written: as stored, but older than p_idempotency_s
--   paid_less            nothing written: less was paid than the net; call again with p_recounted. Also where p_recounted is as of
--                        earn_unknown, and the calculation has come since
--   uncounted            the same: it failed for an unknown calculation, so nothing is counted yet
-- Locks: calculation, transaction, counters, accounts, visits, sale.
create or replace function record_sale(
  p_sale json, p_digest bytea, p_body bytea, p_idempotency_s integer, p_recounted text,
  out reply text, out discrepancies json, out freed json, out digest bytea, out body bytea, out result sale_result
)
language plpgsql as $$
declare
  v_sale sale := json_populate_record(null::sale, p_sale);
  v_calculation calculation;
  v_known boolean;
  v_freed bigint[] := '{}';
begin
  loop
    select c.* into v_calculation from calculation c where c.calculation_id = v_sale.calculation_id for update;
    v_known := found;
    exit when v_known;
    exit when claim_absence(v_sale.calculation_id);
  end loop;

  -- The calculation is locked, so no other sale of it is being recorded.
  select
      case when s.recorded_at > clock_timestamp() - make_interval(secs => p_idempotency_s) then 'stored' else 'duplicate' end,
      s.digest, s.body, s.result
    into reply, digest, body, result
    from sale s where s.calculation_id = v_sale.calculation_id;
  if found then
    return;
  end if;

  if not claim_transaction(v_sale) then
    v_sale.discrepancies := array['transaction_repeated'];
  -- What was counted while the calculation was unknown is not of its basket.
  elsif p_recounted is null or (v_known and nullif(p_recounted, '')::json ->> 'memberId' is not null) then
    reply := case
      when v_known then case when v_calculation.earning is not null and paid_less(v_sale, v_calculation) then 'paid_less' end
      when v_sale.status = 'failed' and v_sale.loyalty_id is not null and v_sale.paid_total > 0 and exists (select from value_rule)
        then 'uncounted'
    end;
    if reply is not null then
      return;
    end if;
  end if;

  v_sale.digest := p_digest;
  v_sale.body := p_body;
  v_sale.recorded_at := clock_timestamp();
  if v_known then
    v_sale.result := 'recorded';
    select t.discrepancies, t.freed into v_sale.discrepancies, v_freed 
    from settle_sale(v_sale, v_calculation, null, nullif(p_recounted, '')::json) t;
  else
    v_sale.result := 'unknown_calculation';
    v_sale.discrepancies := 'unknown_calculation'::text || v_sale.discrepancies;
    if settled_status(v_sale) = 'failed' then
      v_sale.discrepancies := v_sale.discrepancies || earn_unknown(v_sale, p_recounted);
      perform count_visit((select l.member_id from member_loyalty_id l where l.loyalty_id = v_sale.loyalty_id));
      perform announce_tier_of_sale(v_sale.calculation_id);
    end if;
  end if;
  -- Each column by name: a migration may add one to `sale` while this runs.
  insert into sale (
    calculation_id, receipt_number, paid_total, loyalty_discount_total, recorded_at, status, result, loyalty_id_sent, currency,
    channel, occurred_at, failure_reason, transaction_id, loyalty_id, venue_id, bax_id, cash_register_id, discrepancies, digest, body
  )
  values (
    v_sale.calculation_id, v_sale.receipt_number, v_sale.paid_total, v_sale.loyalty_discount_total, v_sale.recorded_at,
    v_sale.status, v_sale.result, v_sale.loyalty_id_sent, v_sale.currency, v_sale.channel, v_sale.occurred_at,
    v_sale.failure_reason, v_sale.transaction_id, v_sale.loyalty_id, v_sale.venue_id, v_sale.bax_id, v_sale.cash_register_id,
    v_sale.discrepancies, v_sale.digest, v_sale.body
  );

  reply := v_sale.result;
  discrepancies := to_json(v_sale.discrepancies);
  select coalesce(json_agg(json_build_object('limitId', k.limit_id, 'subject', k.subject, 'period', k.period)), '[]')
    into freed
    from limit_counter k where k.counter_id = any (v_freed);
end
$$;
