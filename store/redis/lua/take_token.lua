#!lua
-- Takes one token of a bucket that fills evenly (wire decisions 3), and more ahead while it is more than half full.
--
-- The bucket is one number: the moment at which it is full again. Without a key it is full.
--
-- KEYS[1]  tokens      string: microseconds since the epoch, by this server's clock
-- ARGV[1]  interval    microseconds in which one token comes back, 1 or more
-- ARGV[2]  burst       tokens in a full bucket, 1 or more
-- ARGV[3]  untouched   tokens that this caller never takes, 0 to burst - 1
-- ARGV[4]  ahead       tokens that the caller would like in addition, 0 or more
--
-- {'taken', ahead}     one token fewer, and `ahead` more: only from the upper half of the bucket
-- {'empty', seconds}   nothing changed; whole seconds, at least 1, until a token is there for this caller
local interval = tonumber(ARGV[1])
local burst = tonumber(ARGV[2])
local untouched = tonumber(ARGV[3])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local full_at = tonumber(redis.call('GET', KEYS[1]) or now)

-- Never emptier than empty: a clock set back, or changed settings, must not empty the bucket for longer than it takes to fill.
local missing = math.min(math.max(full_at - now, 0), burst * interval) + interval
local over = missing - (burst - untouched) * interval
if over > 0 then
  return { 'empty', math.ceil(over / 1000000) }
end

local spare = math.floor((burst * interval / 2 - missing) / interval)
local ahead = math.max(math.min(tonumber(ARGV[4]), spare), 0)
missing = missing + ahead * interval
redis.call('SET', KEYS[1], now + missing, 'PX', math.ceil(missing / 1000))
return { 'taken', ahead }
