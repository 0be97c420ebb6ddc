#!lua
-- Keeps the ledger's answer of a calculation hot for a while.
--
-- KEYS[1]  calculation  hash: answer, record (while journalled); claims, as in claim.lua
-- ARGV[1]  answer       bytes
-- ARGV[2]  lifetime     milliseconds, 1 or more
--
-- {'remembered'}        the answer stays for the lifetime, counted from now; another hot answer is replaced, claims end
-- {'journalled'}        nothing changed: the answer here is on its way to the ledger and must not end before it is there
if redis.call('HEXISTS', KEYS[1], 'record') == 1 then
  return { 'journalled' }
end

redis.call('HSET', KEYS[1], 'answer', ARGV[1])
redis.call('HDEL', KEYS[1], 'claims')
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return { 'remembered' }
