#!lua flags=no-writes
-- Lists what waits in one bucket's journal, oldest first.
--
-- KEYS[1]  journal      sorted set: calculationId by the moment it was kept, ms by this server's clock
-- ARGV[1]  max          entries, 1 or more
-- ARGV[2]  older_than   milliseconds; 0: all of them, those from a clock ahead of this one included
--
-- {calculationId, moment, calculationId, moment, ...}
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local older_than = tonumber(ARGV[2])
local until_then = '+inf'
if older_than > 0 then
  until_then = now - older_than
end
return redis.call('ZRANGE', KEYS[1], '-inf', until_then, 'BYSCORE', 'LIMIT', 0, ARGV[1], 'WITHSCORES')
