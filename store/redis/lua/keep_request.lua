#!lua
-- Keeps a request of a venue for the partner page. The list is never read here: 1 MiB of it would hold up other callers for 2 ms.
--
-- KEYS[1]  requests  list, newest first
-- ARGV[1]  text      bytes
-- ARGV[2]  count     most requests of the list, 1 or more
-- ARGV[3]  bytes     most memory of the list, unless one text needs more
-- ARGV[4]  lifetime  milliseconds of the list from now, 1 or more
--
-- {'kept'}           it is the first; the oldest beyond count or bytes are gone
redis.call('LPUSH', KEYS[1], ARGV[1])
redis.call('LTRIM', KEYS[1], 0, ARGV[2] - 1)
while redis.call('LLEN', KEYS[1]) > 1 and redis.call('MEMORY', 'USAGE', KEYS[1], 'SAMPLES', 0) > tonumber(ARGV[3]) do
  redis.call('RPOP', KEYS[1])
end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return { 'kept' }
