#!lua
-- Holds units of one limit's counter for a calculation, for a short while, until the ledger has confirmed them.
--
-- KEYS[1]  counter      hash: used; open (loaded from the ledger, holders unknown here); held (sum of the holds below);
--                       u:<calculationId> units of a hold; s:<calculationId> id of the calculation that it supersedes
-- KEYS[2]  holds        sorted set: calculationId by the moment its hold ends, ms by this server's clock
-- ARGV[1]  calculationId
-- ARGV[2]  supersedes   calculationId whose hold counts as free, or ''
-- ARGV[3]  units        1 or more
-- ARGV[4]  maximum      of the limit, 1 or more
-- ARGV[5]  lifetime     of the hold, milliseconds, 1 or more
-- ARGV[6]  pruned_max   ended holds taken off in one call, 1 to 1000; those beyond count until the next one
--
-- {'reserved'}          held; an earlier hold of the calculation is replaced
-- {'short', left}       nothing is held for the calculation, an earlier hold is given back; left is 0 or more
-- {'unknown'}           no such counter here: nothing changed
local own, superseded = ARGV[1], ARGV[2]
local units, maximum = tonumber(ARGV[3]), tonumber(ARGV[4])
local counter = redis.call('HMGET', KEYS[1], 'used', 'open', 'held', 'u:' .. own, 'u:' .. superseded)
if not counter[1] then
  return { 'unknown' }
end
local life = redis.call('PTTL', KEYS[1])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local gone, freed, superseded_units = {}, 0, tonumber(counter[5] or 0)
for _, id in ipairs(redis.call('ZRANGE', KEYS[2], '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[6])) do
  if id ~= own then
    gone[#gone + 1] = id
    freed = freed + tonumber(redis.call('HGET', KEYS[1], 'u:' .. id) or 0)
  end
  if id == superseded then
    superseded_units = 0
  end
end
if counter[4] then
  gone[#gone + 1] = own
  freed = freed + tonumber(counter[4])
end
local held = tonumber(counter[3]) - freed
local left = maximum - tonumber(counter[1]) - tonumber(counter[2]) - held + superseded_units

for _, id in ipairs(gone) do
  redis.call('HDEL', KEYS[1], 'u:' .. id, 's:' .. id)
  redis.call('ZREM', KEYS[2], id)
end
if units > left then
  redis.call('HSET', KEYS[1], 'held', held)
  return { 'short', math.max(left, 0) }
end
redis.call('HSET', KEYS[1], 'held', held + units, 'u:' .. own, ARGV[3])
if superseded ~= '' then
  redis.call('HSET', KEYS[1], 's:' .. own, superseded)
end
redis.call('ZADD', KEYS[2], now + tonumber(ARGV[5]), own)
redis.call('PEXPIRE', KEYS[2], life)
return { 'reserved' }
