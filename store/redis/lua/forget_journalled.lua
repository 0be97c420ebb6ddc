#!lua flags=allow-oom
-- Removes calculations from one bucket's journal once the ledger has them; their answers stay hot for a while.
--
-- KEYS[1]  journal      sorted set: calculationId by the moment it was stored, ms by this server's clock
-- KEYS[2..] calculation hash: answer, record (while journalled), one per id
-- ARGV[1]  lifetime     of a hot answer, milliseconds counted from the moment it was stored, 1 or more
-- ARGV[2..] calculationId, in the order of their keys
--
-- {'forgotten', count}  the number that was journalled: their records are gone, their answers end when their lifetime does
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local kept_at = {}
for position = 2, #KEYS do
  kept_at[position] = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[position]) or now)
end

local count = 0
for position = 2, #KEYS do
  if redis.call('HDEL', KEYS[position], 'record') == 1 then
    -- At most a full lifetime from now on, in case the clock was set back since.
    local left = math.min(kept_at[position] - now, 0) + tonumber(ARGV[1])
    redis.call('PEXPIRE', KEYS[position], left)
    count = count + 1
  end
  redis.call('ZREM', KEYS[1], ARGV[position])
end
return { 'forgotten', count }
