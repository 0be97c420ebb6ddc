#!lua
-- Claims a calculation's key, stores its answer and journals it, in one step.
--
-- KEYS[1]  calculation  hash: answer, record (while journalled); claims, as in claim.lua
-- KEYS[2]  journal      sorted set of the bucket: calculationId by the moment it was stored, ms by this server's clock
-- KEYS[3]  vouched      string: the bucket's mark, as in vouch.lua
-- ARGV[1]  calculationId
-- ARGV[2]  answer       bytes
-- ARGV[3]  record       bytes: the rest of the calculation
-- ARGV[4]  mark         the caller's
--
-- {'kept'}                      answer and record stay, without end, until they are forgotten from the journal
-- {'known', answer, record}     another call was first: nothing changed; without the record once the ledger has it
-- {'claimed'}                   the ledger may have another answer: nothing changed
-- {'unvouched'}                 answers may have been lost here since the caller got its mark: nothing changed
local mark = redis.call('GET', KEYS[3])
if not mark or string.sub(mark, 1, 40) ~= string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') then
  return { 'unvouched' }
end
local calculation = redis.call('HMGET', KEYS[1], 'answer', 'claims', 'record')
if calculation[1] then
  return { 'known', calculation[1], calculation[3] }
end
if calculation[2] then
  return { 'claimed' }
end
if mark ~= ARGV[4] then
  return { 'unvouched' }
end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

-- The journal first: where its key holds something else, this fails before anything is stored.
redis.call('ZADD', KEYS[2], now, ARGV[1])
redis.call('HSET', KEYS[1], 'answer', ARGV[2], 'record', ARGV[3])
return { 'kept' }
