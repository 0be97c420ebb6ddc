#!lua flags=allow-oom
-- Drops a calculation's answer, whose member is forgotten.
--
-- KEYS[1]  calculation  hash: answer, record (while journalled); claims, as in claim.lua
--
-- {'forgotten'}         no answer is here any more
-- {'journalled'}        the ledger does not have the calculation yet: nothing changed
if redis.call('HEXISTS', KEYS[1], 'record') == 1 then
  return { 'journalled' }
end
redis.call('HDEL', KEYS[1], 'answer')
return { 'forgotten' }
