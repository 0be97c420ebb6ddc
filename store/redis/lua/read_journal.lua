#!lua flags=no-writes
-- Lists the entries of one bucket's journal, oldest first; an entry stored by a clock ahead of this one counts as the oldest.
--
-- KEYS[1]  journal      sorted set: calculationId by the moment it was stored, ms by this server's clock
-- ARGV[1]  max          entries, 1 or more
-- ARGV[2]  older_than   milliseconds; 0: all of them
--
-- {entries, age of the oldest in ms, calculationId, moment, calculationId, moment, ...}   the first two count the whole journal; the
-- age is 0 without entries
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local max = tonumber(ARGV[1])
local older_than = tonumber(ARGV[2])
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if #oldest == 0 then
  return { 0, 0 }
end
local listed = { redis.call('ZCARD', KEYS[1]), math.max(now - tonumber(oldest[2]), 0) }
local function list(found)
  for _, each in ipairs(found) do
    listed[#listed + 1] = each
  end
end
if older_than == 0 then
  list(redis.call('ZRANGE', KEYS[1], '-inf', '+inf', 'BYSCORE', 'LIMIT', 0, max, 'WITHSCORES'))
  return listed
end
-- This clock was set back, or a replica with a slower one took over: the writers of these may be gone, so do not wait for the clock.
local ahead = redis.call('ZRANGE', KEYS[1], '(' .. (now + older_than), '+inf', 'BYSCORE', 'LIMIT', 0, max, 'WITHSCORES')
local due = redis.call('ZRANGE', KEYS[1], '-inf', now - older_than, 'BYSCORE', 'LIMIT', 0, max - #ahead / 2, 'WITHSCORES')
list(ahead)
list(due)
return listed
