-- The type of the event that an entry of an exchange, or of value that was used, is. What an exchange gives is a reward: using it is
-- `reward.used`, using other value `value.spent`.
--   p_kind  activated, cancelled or used
create or replace function value_event_type(p_kind text, p_against system_account, p_account bigint) returns text
language sql stable as $$
  select case p_kind
    when 'activated' then case when p_against = 'issued' then 'reward.activated' else 'value.spent' end
    when 'cancelled' then case when p_against = 'issued' then 'reward.cancelled' else 'value.returned' end
    else case
      when exists (
        select from account a join value_exchange x on x.to_currency_id = a.currency_id where a.account_id = p_account
      ) then 'reward.used' else 'value.spent'
    end
  end
$$;
