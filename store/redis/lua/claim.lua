#!lua
-- Announces that the ledger is asked to store a calculation, so that no other call with its key is stored here meanwhile.
--
-- KEYS[1]  calculation  hash: answer, record (while journalled); claims: calls that ask the ledger
-- KEYS[2]  vouched      string: the bucket's mark, as in vouch.lua
-- ARGV[1]  lifetime     of the claims from now on, milliseconds, 1 or more
--
-- {'claimed'}                   one claim more
-- {'known', answer, record}     a call was answered already: nothing changed; without the record once the ledger has it
-- {'unvouched'}                 answers may have been lost here: nothing changed
local mark = redis.call('GET', KEYS[2])
if not mark or string.sub(mark, 1, 40) ~= string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') then
  return { 'unvouched' }
end
local calculation = redis.call('HMGET', KEYS[1], 'answer', 'record')
if calculation[1] then
  return { 'known', calculation[1], calculation[2] }
end

redis.call('HINCRBY', KEYS[1], 'claims', 1)
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return { 'claimed' }
