-- What a claim would give: it is made and taken back, so that a quote never differs from the claim, and keeps no request id.
--   arguments and replies  as of order_sale_claim. Locks: as there.
create or replace function quote_sale_claim(
  p_by change_context, p_order_digest bytea, p_member text, p_loyalty_id text, p_calculation uuid, p_counted text
) returns json
language plpgsql as $$
declare
  v_reply json;
begin
  begin
    v_reply := order_sale_claim(p_by, p_order_digest, p_member, p_loyalty_id, p_calculation, p_counted);
    raise exception 'quoted' using errcode = 'LY004';
  exception when sqlstate 'LY004' then
    null;
  end;
  return v_reply;
end
$$;
