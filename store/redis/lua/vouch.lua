#!lua
-- Makes a waiting mark vouch for one bucket's memory, if it is still there: then nothing has been lost since it was left.
--
-- KEYS[1]  vouched      string: '?<run_id>:<nonce>' while it waits, '<run_id>:<nonce>' where it vouches; run_id is the server
--                       process's, so that a process that starts again, with any memory, or takes over is not vouched for
-- ARGV[1]  waiting      the mark that was left
--
-- {'vouched', mark}     this mark vouches, made so now or by another caller
-- {'changed'}           another mark, or none: nothing changed
local run_id = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
local mark = redis.call('GET', KEYS[1])
local vouched = string.sub(ARGV[1], 2)
if mark == vouched and string.sub(mark, 1, 40) == run_id then
  return { 'vouched', mark }
end
if mark ~= ARGV[1] or string.sub(mark, 2, 41) ~= run_id then
  return { 'changed' }
end

redis.call('SET', KEYS[1], vouched)
return { 'vouched', vouched }
