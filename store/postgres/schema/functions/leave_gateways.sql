-- Removes a gateway that ends and has flushed everything.
create or replace function leave_gateways(p_gateway uuid) returns void
language plpgsql as $$
begin
  delete from gateway g where g.gateway_id = p_gateway;
end
$$;
