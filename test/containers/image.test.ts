import t, { type Test } from 'tap'
import { Pool, request } from 'undici'
import { aBasket } from '../e2e/basket.js'
import { signature } from '../e2e/service.js'
import { freePort } from '../support/free-port.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { startRedis } from '../support/servers/start-redis.js'
import { until } from '../support/until.js'
import { buildImages, containerPackages, image, nodeImage, obstacle, podman, ran } from './machine.js'

/** Bytes that the service may add to its base. */
const addedMax = 120_000_000
/** The chart's memory limit. */
const memory = '768m'
const secret = 'secret-of-the-image-0123456789abcdef'
const clients = 16
const oslo = { venueId: 'oslo-cafe', baxId: '7100001', cashRegisterId: '1', channel: 'pos' }

t.setTimeout(850_000)

const missing = await obstacle(containerPackages)
if (missing === null) await imageTests()
else t.comment(missing)

async function imageTests(): Promise<void> {
  await buildImages()

  t.test('the image adds little to its base, and holds nothing that builds', async (t) => {
    const sizeOf = async (name: string) => Number(await podman('image', 'inspect', '--format', '{{.Size}}', name))
    const added = (await sizeOf(image)) - (await sizeOf(nodeImage))
    t.comment(`${(added / 1e6).toFixed(1)} MB above the base`)
    t.ok(added > 0 && added <= addedMax, `${added} bytes`)
    const { Config, Healthcheck } = JSON.parse(await podman('image', 'inspect', image))[0]
    t.match(Config, { User: '65534:65534', Entrypoint: ['node', 'dist/gateway/main.js'] })
    t.match(Config.Labels['org.opencontainers.image.revision'], /^[0-9a-f]{40}$/)
    t.same(Healthcheck.Test, ['CMD', 'node', 'healthcheck.mjs', 'live'])
    const builders =
      'for name in npm npx yarn corepack gcc make python3 git; do command -v $name; done; test -e dist/test'
    t.equal(await inImage('sh', '-c', `${builders} || true`), '')
    t.match(await inImage('lps', '--version'), /^lps \d/)
  })

  t.test('its bill of materials lists every package that is in it', async (t) => {
    const { components } = JSON.parse(await inImage('cat', 'sbom.json'))
    const listed = new Set(
      components.map(({ group, name, version }: Record<string, string>) =>
        [group, `${name}@${version}`].filter(Boolean).join('/'),
      ),
    )
    const { packages } = JSON.parse(await inImage('cat', 'node_modules/.package-lock.json'))
    const installed = Object.entries<{ version: string }>(packages).map(
      ([place, { version }]) => `${place.replace(/.*node_modules\//, '')}@${version}`,
    )
    t.ok(installed.length > 20)
    t.same(
      installed.filter((each) => !listed.has(each)),
      [],
    )
  })

  t.test('it serves the contract, drains under load, and continues after a kill', servesAndEnds)
}

function inImage(command: string, ...args: readonly string[]): Promise<string> {
  return podman('run', '--rm', '--entrypoint', command, image, ...args)
}

async function servesAndEnds(t: Test): Promise<void> {
  const [redis, postgres] = await Promise.all([startRedis(), startPostgres()])
  t.teardown(() => Promise.all([redis.stop(), postgres.stop()]))
  const [http, internal, name] = [await freePort(), await freePort(), `loyalty-image-${process.pid}`]
  const url = `http://127.0.0.1:${http}`
  const settings = {
    LOYALTY_SECRETS: secret,
    LOYALTY_HTTP: `127.0.0.1:${http}`,
    LOYALTY_GRPC: `127.0.0.1:${internal}`,
    LOYALTY_RATE: '0',
    LOYALTY_DEADLINE_MS: '4500',
    REDIS_URL: redis.url,
    DATABASE_URL: await postgres.createDatabase(true),
  }
  const env = Object.entries(settings).flatMap((pair) => ['--env', pair.join('=')])
  const asDeployed = ['--read-only', '--tmpfs', '/tmp', '--memory', memory, '--name', name, ...env]
  t.teardown(() => ran('podman', ['rm', '--force', name]))
  await podman('run', '--detach', ...asDeployed, image)
  await untilReady(url)

  const check = await ran('podman', ['exec', name, 'lps', 'check', url, '--secret', secret])
  t.match(check.err, '31 of 31 hold', check.out)
  t.equal((await ran('podman', ['healthcheck', 'run', name])).code, 0)
  t.not((await ran('podman', ['exec', name, 'touch', '/service/x'])).code, 0, 'its file system is read-only')

  const load = startLoad(url)
  await until(
    () => load.answers.length,
    (count) => count > 500,
  )
  await podman('kill', '--signal', 'TERM', name)
  t.equal((await podman('wait', name)).trim(), '0', 'a drain exits with 0')
  await load.end()
  t.same(load.surprises, [], 'each request of a busy connection is answered')
  t.equal(await podman('inspect', '--format', '{{.State.OOMKilled}}', name), 'false\n')

  await podman('start', name)
  await untilReady(url)
  const { text, answer } = load.answers.find(({ status }) => status === 200)!
  t.equal((await send(url, text)).answer, answer, 'an answer outlives the container')
  await podman('kill', name)
  await podman('wait', name)
  await podman('start', name)
  await untilReady(url)
  t.equal((await send(url, text)).answer, answer, 'and a kill')
}

async function untilReady(url: string): Promise<void> {
  const isReady = () =>
    fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  if (!(await until(isReady, (ready) => ready))) throw new Error(`${url} is not ready`)
}

interface Sent {
  readonly status: number
  readonly text: string
  readonly answer: string
}

/** Sends one basket after the other over each of several connections, until the service accepts no more. */
function startLoad(url: string) {
  const answers: Sent[] = []
  const surprises: string[] = []
  const pool = new Pool(url, { connections: clients, pipelining: 1 })
  async function client(): Promise<void> {
    for (;;) {
      const text = aBasket('LOY-ANNA', oslo)
        .with({ currency: 'NOK' })
        .line({ productId: 'cappuccino', unitPrice: 5_200 })
        .text()
      const sent = await send(url, text, pool).catch((error: NodeJS.ErrnoException) => error)
      if (!(sent instanceof Error)) answers.push(sent)
      if (sent instanceof Error && sent.code !== 'ECONNREFUSED') surprises.push(String(sent))
      if (sent instanceof Error || sent.status === 503) return
    }
  }
  const all = Array.from({ length: clients }, client)
  return {
    answers,
    surprises,
    async end() {
      await Promise.all(all)
      await pool.destroy()
    },
  }
}

async function send(url: string, text: string, dispatcher?: Pool): Promise<Sent> {
  const { statusCode, body } = await request(`${url}/v1/pos/basket`, {
    method: 'POST',
    body: text,
    headers: {
      'content-type': 'application/json',
      'idempotency-key': JSON.parse(text).calculationId,
      'pos-signature': signature(secret, Math.floor(Date.now() / 1000), text),
    },
    ...(dispatcher && { dispatcher }),
  })
  return { status: statusCode, text, answer: await body.text() }
}
