#!lua flags=allow-oom
-- Gives back a calculation's hold on one counter.
--
-- KEYS[1]  counter      hash, as in reserve.lua
-- KEYS[2]  holds        sorted set: calculationId by the moment its hold ends, ms by this server's clock
-- ARGV[1]  calculationId
--
-- {'given_back'}        its units are free
-- {'absent'}            no such hold: nothing changed
local units = redis.call('HGET', KEYS[1], 'u:' .. ARGV[1])
if not units then
  return { 'absent' }
end

redis.call('HDEL', KEYS[1], 'u:' .. ARGV[1], 's:' .. ARGV[1])
redis.call('HINCRBY', KEYS[1], 'held', -tonumber(units))
redis.call('ZREM', KEYS[2], ARGV[1])
return { 'given_back' }
