#!lua flags=no-writes
-- Counts the entries of one bucket's journal.
--
-- KEYS[1]  journal      sorted set: calculationId by the moment it was stored, ms by this server's clock
--
-- {entries, age of the oldest in ms}   the age is 0 without entries
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if #oldest == 0 then
  return { 0, 0 }
end
return { redis.call('ZCARD', KEYS[1]), math.max(now - tonumber(oldest[2]), 0) }
