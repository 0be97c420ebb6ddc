-- The date at the venue of a sale when it occurred; in UTC where the venue is not known. Null where this server cannot hold that time, such as
-- one of the year 0.
create or replace function sale_day(p_sale sale) returns date
language plpgsql stable as $$
begin
  return local_day(p_sale.occurred_at::timestamptz, (select v.time_zone from venue v where v.venue_id = p_sale.venue_id));
exception when data_exception then
  return null;
end
$$;
