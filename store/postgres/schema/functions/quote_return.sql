-- What a return would do: it is made and taken back, so that a quote never differs from the return.
--   arguments and replies  as of make_return. Locks: member, ladder, accounts, visits.
create or replace function quote_return(p_calculation uuid, p_lines text) returns json
language plpgsql as $$
declare
  v_reply json;
begin
  begin
    v_reply := make_return(row('', '', null)::change_context, p_calculation, p_lines, null, '', clock_timestamp());
    raise exception 'quoted' using errcode = 'LY004';
  exception when sqlstate 'LY004' then
    null;
  end;
  return v_reply;
end
$$;
