#!lua flags=no-writes
-- Lists what waits in one bucket's journal, oldest first; what was kept by a clock ahead of this one is older than anything.
--
-- KEYS[1]  journal      sorted set: calculationId by the moment it was kept, ms by this server's clock
-- ARGV[1]  max          entries, 1 or more
-- ARGV[2]  older_than   milliseconds; 0: all of them
--
-- {calculationId, moment, calculationId, moment, ...}
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local max = tonumber(ARGV[1])
local older_than = tonumber(ARGV[2])
if older_than == 0 then
  return redis.call('ZRANGE', KEYS[1], '-inf', '+inf', 'BYSCORE', 'LIMIT', 0, max, 'WITHSCORES')
end
-- This clock was set back, or a replica with a slower one took over: who kept these may be dead, and nobody waits for the clock.
local ahead = redis.call('ZRANGE', KEYS[1], '(' .. (now + older_than), '+inf', 'BYSCORE', 'LIMIT', 0, max, 'WITHSCORES')
local due = redis.call('ZRANGE', KEYS[1], '-inf', now - older_than, 'BYSCORE', 'LIMIT', 0, max - #ahead / 2, 'WITHSCORES')
for _, each in ipairs(due) do
  ahead[#ahead + 1] = each
end
return ahead
