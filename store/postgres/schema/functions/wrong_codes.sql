-- Wrong codes of a member in the hour before now. The caller holds the lock to the end of the transaction, so that many callers at once
-- do not pass the limit together.
-- Replies how many, and when the first of them is an hour old.
-- Locks: the member's wrong codes, an advisory lock between members and codes.
create or replace function wrong_codes(p_member text, out wrong integer, out until timestamptz)
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('loyalty wrong codes ' || p_member, 0));
  select count(*), min(w.at) + interval '1 hour' into wrong, until
  from wrong_code w where w.member_id = p_member and w.at > clock_timestamp() - interval '1 hour';
end
$$;
