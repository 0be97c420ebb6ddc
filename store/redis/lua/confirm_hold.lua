#!lua
-- Makes a hold last until its calculation expires, and ends the hold of the superseded calculation.
--
-- KEYS[1]  counter      hash, as in reserve.lua
-- KEYS[2]  holds        sorted set: calculationId by the moment its hold ends, ms by this server's clock
-- ARGV[1]  calculationId
-- ARGV[2]  lifetime     of the hold from now on, milliseconds, 1 or more
--
-- {'confirmed'}         the hold lasts for the lifetime, or as long as the counter is loaded here
-- {'absent'}            no such hold: nothing changed. The counter was loaded anew since, or will be soon
local hold = redis.call('HMGET', KEYS[1], 'u:' .. ARGV[1], 's:' .. ARGV[1])
if not hold[1] then
  return { 'absent' }
end
local superseded = hold[2]
local superseded_units = superseded and redis.call('HGET', KEYS[1], 'u:' .. superseded)
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

redis.call('ZADD', KEYS[2], now + tonumber(ARGV[2]), ARGV[1])
if superseded then
  redis.call('HDEL', KEYS[1], 's:' .. ARGV[1])
end
if superseded_units then
  redis.call('HDEL', KEYS[1], 'u:' .. superseded, 's:' .. superseded)
  redis.call('HINCRBY', KEYS[1], 'held', -tonumber(superseded_units))
  redis.call('ZREM', KEYS[2], superseded)
end
return { 'confirmed' }
