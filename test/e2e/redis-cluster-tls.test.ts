import { Redis } from 'ioredis'
import t from 'tap'
import { certificateFiles } from '../gateway/config/a-certificate.js'
import { freePort } from '../support/free-port.js'
import { startRedis } from '../support/servers/start-redis.js'
import { until } from '../support/until.js'
import { startService } from './service.js'

const password = 'a password with / and @'

t.test('cluster nodes are reached over TLS with a password, and not at all without either', async (t) => {
  const { certFile, keyFile } = await certificateFiles(t)
  const tlsPort = await freePort()
  const settings = {
    'cluster-enabled': 'yes',
    'cluster-port': String(await freePort()),
    'tls-port': String(tlsPort),
    'tls-cert-file': certFile,
    'tls-key-file': keyFile,
    'tls-ca-cert-file': certFile,
    'tls-auth-clients': 'no',
    'tls-cluster': 'yes',
    'cluster-announce-hostname': 'localhost',
    'cluster-preferred-endpoint-type': 'hostname',
  }
  const redis = await startRedis({ settings })
  t.teardown(() => redis.stop())
  const direct = new Redis(redis.port, '127.0.0.1')
  await direct.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383)
  await direct.call('CONFIG', 'SET', 'requirepass', password)
  direct.disconnect()

  const node = `localhost:${tlsPort}`
  const partOf = async (url: string, hoped: string) => {
    const service = await startService({ env: { REDIS_URL: url, NODE_EXTRA_CA_CERTS: certFile } })
    const ready = async () => (await (await fetch(`${service.internalUrl}/health/ready`)).json()) as { parts: object }
    const seen = await until(ready, ({ parts }) => 'cache' in parts && parts.cache === hoped)
    await service.stop()
    return seen.parts
  }
  t.match(await partOf(`rediss://:${encodeURIComponent(password)}@${node},rediss://${node}`, 'up'), { cache: 'up' })
  t.match(await partOf(`rediss://:wrong@${node},rediss://${node}`, 'down'), { cache: 'down' })
})
