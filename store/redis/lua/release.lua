#!lua flags=allow-oom
-- Withdraws one claim: it is certain that the ledger has not stored the calculation for it.
--
-- KEYS[1]  calculation  hash, as in claim.lua
--
-- {'released'}          one claim fewer
-- {'absent'}            there is none: nothing changed
local claims = tonumber(redis.call('HGET', KEYS[1], 'claims') or 0)
if claims == 0 then
  return { 'absent' }
end

if claims == 1 then
  redis.call('HDEL', KEYS[1], 'claims')
else
  redis.call('HINCRBY', KEYS[1], 'claims', -1)
end
return { 'released' }
