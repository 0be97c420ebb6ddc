-- Scales the bases of a calculation's `earning` down to what was paid, where it cannot be counted anew from the basket.
--   p_paid, p_net  what was paid of which net: lower
create or replace function scale_earning(p_earning text, p_paid bigint, p_net bigint) returns text
language sql immutable as $$
  select jsonb_set(p_earning::jsonb, '{rules}', coalesce(jsonb_agg(
    case when r.rule ->> 'per' = 'amount'
      then r.rule || jsonb_build_object(
        'sent', div((r.rule ->> 'sent')::numeric * p_paid, p_net), 'returned', div((r.rule ->> 'returned')::numeric * p_paid, p_net)
      )
      else r.rule
    end order by r.place
  ), '[]'))::text
  from jsonb_array_elements(p_earning::jsonb -> 'rules') with ordinality as r (rule, place)
$$;
