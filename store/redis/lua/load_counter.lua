#!lua
-- Stores a limit's counter with the ledger's values.
--
-- KEYS[1]  counter      hash, as in reserve.lua
-- ARGV[1]  used         units, 0 or more
-- ARGV[2]  open         units held in the ledger, 0 or more; no holder is known here, so they end with the counter
-- ARGV[3]  lifetime     of the counter, milliseconds, 1 or more; never prolonged, so that its staleness has a bound
--
-- {'loaded'}            the counter has the given values, without holds of its own
-- {'known'}             it was loaded already: nothing changed
if redis.call('EXISTS', KEYS[1]) == 1 then
  return { 'known' }
end

redis.call('HSET', KEYS[1], 'used', ARGV[1], 'open', ARGV[2], 'held', '0')
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return { 'loaded' }
