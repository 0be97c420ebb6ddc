#!lua
-- Announces that the ledger is asked to store a calculation, so that no other call with its key is kept here meanwhile.
--
-- KEYS[1]  calculation  hash: answer, record (while journalled); claims: calls that ask the ledger
-- ARGV[1]  lifetime     of the claims from now on, milliseconds, 1 or more
--
-- {'claimed'}           one claim more
-- {'known', answer}     a call was answered already: nothing changed
local answer = redis.call('HGET', KEYS[1], 'answer')
if answer then
  return { 'known', answer }
end

redis.call('HINCRBY', KEYS[1], 'claims', 1)
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return { 'claimed' }
