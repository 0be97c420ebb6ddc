#!lua flags=no-writes
-- Finds a calculation, or replies that it may have been lost.
--
-- KEYS[1]  calculation  hash: answer, record (while journalled)
-- KEYS[2]  vouched      string: the bucket's mark, as in vouch.lua
-- ARGV[1]  mark         the caller's; '': any that vouches
--
-- {'known', answer, record}     without the record once the ledger has it
-- {'unknown'}                   no answer is stored here
-- {'unvouched'}                 answers may have been lost here, since the caller got its mark
local mark = redis.call('GET', KEYS[2])
if not mark or string.sub(mark, 1, 40) ~= string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') then
  return { 'unvouched' }
end
local calculation = redis.call('HMGET', KEYS[1], 'answer', 'record')
if calculation[1] then
  return { 'known', calculation[1], calculation[2] }
end
if ARGV[1] ~= '' and mark ~= ARGV[1] then
  return { 'unvouched' }
end
return { 'unknown' }
