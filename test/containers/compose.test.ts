import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { shellBlock } from '../support/readme.js'
import { until } from '../support/until.js'
import { buildImages, containerPackages, obstacle, openNetwork, ran, root, run } from './machine.js'

t.setTimeout(850_000)

const missing = await obstacle(containerPackages)
if (missing === null) await composeTests()
else t.comment(missing)

async function composeTests(): Promise<void> {
  await buildImages()
  const { name: project, inside } = await openNetwork(t)
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-compose-'))
  const secrets = join(folder, 'secrets')
  const podmanPath = join(root, 'test', 'containers', 'podman-in-one-network.sh')
  const words = `podman-compose --podman-path ${podmanPath} --project-name ${project}`
  const compose = (command: string) => inside('sh', '-c', `cd ${folder} && ${words} ${command}`)
  const calls = () =>
    inside(
      'env',
      `SECRET=${secrets}/signing`,
      'sh',
      '-ec',
      `cd ${folder}\n${shellBlock('A first call')}${shellBlock('The sale event')}`,
    )
  const container = (service: string) => `${project}_${service}_1`

  await run('cp', ['deploy/compose.yaml', 'deploy/secrets.sh', folder])
  await run('sh', [join(folder, 'secrets.sh')])
  t.after(async () => {
    await compose('down --volumes')
    await rm(folder, { recursive: true })
  })

  t.test('compose starts everything, healthy, with a link to the console', async (t) => {
    const { code, out, err } = await compose('up --detach --no-build')
    t.equal(code, 0, out + err)
    for (const service of ['postgres', 'redis', 'loyalty']) {
      const health = () => inside('podman', 'healthcheck', 'run', container(service))
      t.equal((await until(health, ({ code }) => code === 0)).code, 0, service)
    }
    const { err: log } = await ran('podman', ['logs', container('loyalty')])
    const link = /^console on (\S+#ticket=\S+)/m.exec(log)?.[1]
    t.match(link, /^http:\/\/127\.0\.0\.1:9090\/console#/)
    t.match((await inside('curl', '--fail', link!)).out, '<title>')
  })

  t.test('the first basket and sale of README.md', async (t) => {
    t.match((await calls()).out, /"status":"applied".*"result":"recorded"/s)
  })

  t.test('the data outlive the containers', async (t) => {
    const before = (await calls()).out
    await compose('down')
    await compose('up --detach --no-build')
    const after = await until(calls, ({ code, out }) => code === 0 && out.includes('recorded'))
    t.equal(after.out, before, 'the same answers, byte for byte')
  })

  t.test('no secret is in the environment of a container', async (t) => {
    const { out } = await ran('podman', [
      'inspect',
      '--format',
      '{{.Config.Env}}',
      container('loyalty'),
      container('postgres'),
    ])
    const texts = await run('cat', ['postgres', 'signing'], secrets)
    for (const secret of texts.match(/[0-9a-f]{64}/g)!) t.notMatch(out, secret)
  })
}
