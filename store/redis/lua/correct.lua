#!lua
-- Replaces everything stored of a calculation by the ledger's answer.
--
-- KEYS[1]  calculation  hash: answer, record (while journalled); claims, as in claim.lua
-- KEYS[2]  journal      sorted set of the bucket: calculationId by the moment it was stored, ms by this server's clock
-- ARGV[1]  calculationId
-- ARGV[2]  answer       bytes; '': the ledger has none
-- ARGV[3]  lifetime     of the answer, milliseconds, 1 or more
--
-- {'corrected'}         the answer stays for the lifetime; record, claims and journal entry are gone
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
if ARGV[2] ~= '' then
  redis.call('HSET', KEYS[1], 'answer', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
return { 'corrected' }
