#!lua
-- Returns the mark that vouches for one bucket's memory; without one, leaves a mark that waits to vouch.
--
-- KEYS[1]  vouched      string: the bucket's mark, as in vouch.lua
-- ARGV[1]  nonce        no other mark has it
--
-- {'vouched', mark}     nothing changed: nothing has been lost since this mark vouches
-- {'waiting', mark}     this mark waits now, or did already; any later loss of memory removes it
local run_id = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
local mark = redis.call('GET', KEYS[1])
if mark and string.sub(mark, 1, 40) == run_id then
  return { 'vouched', mark }
end
if mark and string.sub(mark, 1, 41) == '?' .. run_id then
  return { 'waiting', mark }
end

local waiting = '?' .. run_id .. ':' .. ARGV[1]
redis.call('SET', KEYS[1], waiting)
return { 'waiting', waiting }
