import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { readConfig } from '../../../gateway/config/read-config.js'
import { newSecret } from '../../../gateway/config/secrets.js'
import { certificateFiles } from './a-certificate.js'

/** As short as production allows. */
const long = 's'.repeat(24)
const production = { LOYALTY_ENVIRONMENT: 'production', LOYALTY_SECRETS: long, LOYALTY_TOKENS: `admin:${long}` }

async function aSecretsFile(t: Test): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'loyalty-config-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await writeFile(path.join(folder, 'secrets'), `${newSecret()}\n`)
  return path.join(folder, 'secrets')
}

function faultsOf(env: Record<string, string | undefined>): readonly string[] {
  const read = readConfig(env, 4)
  return read.kind === 'faults' ? read.faults : []
}

/** The settings with four cores, without those for the console. */
function configOf(env: Record<string, string | undefined>) {
  const read = readConfig(env, 4)
  if (read.kind === 'faults') throw new Error(read.faults.join())
  const { shown: _, ...config } = read.config
  return config
}

t.test('without any variable the defaults of the wire decisions hold', async (t) => {
  t.same(configOf({ LOYALTY_RATE: '', UNRELATED: 'x' }), {
    environment: 'staging',
    secrets: [],
    secretsFile: null,
    secretOverlapS: 600,
    programmeFile: null,
    http: { host: '127.0.0.1', port: 8080 },
    grpc: { host: '127.0.0.1', port: 9090 },
    tokens: [],
    oidc: null,
    corsOrigins: [],
    tls: null,
    redisUrl: null,
    databaseUrl: null,
    databaseReadUrl: null,
    dataFolder: '.data',
    serve: 'both',
    processes: 1,
    internalApart: false,
    workers: 3,
    rate: 50,
    burst: 100,
    linesMax: 200,
    channels: [],
    posReturns: true,
    partnerPage: true,
    partnerKey: null,
    bodyBytesMax: 262144,
    deadlineMs: 450,
    expiryS: 1800,
    idempotencyS: 86400,
    bodyDays: 90,
    recordDays: 0,
    eventDays: 30,
    webhooks: { http: 'refused', networks: [] },
    publishReview: 'optional',
    publishWorst: 'off',
    discountCode: 'THIRD_PARTY_LOYALTY',
    logKey: null,
    traces: null,
    logLevel: 'info',
  })
  t.match(readConfig({}, 1), { config: { workers: 1 } })
})

t.test('every variable is read', async (t) => {
  const { certFile, keyFile } = await certificateFiles(t)
  const secretsFile = await aSecretsFile(t)
  const env = {
    LOYALTY_ENVIRONMENT: 'production',
    LOYALTY_SECRETS: `old-${long}, new-${long}`,
    LOYALTY_SECRETS_FILE: secretsFile,
    LOYALTY_SECRET_OVERLAP_S: '60',
    LOYALTY_PROGRAM: keyFile,
    LOYALTY_HTTP: '[::1]:0',
    LOYALTY_GRPC: 'localhost:65535',
    LOYALTY_TOKENS: `reader:abc${long}, admin:d:e=${long}`,
    LOYALTY_CORS_ORIGINS: 'https://console.example, http://localhost:5173',
    LOYALTY_TLS_CERT: certFile,
    LOYALTY_TLS_CLIENT_CA: certFile,
    LOYALTY_TLS_KEY: keyFile,
    REDIS_URL: 'redis://a:1,redis://b:2',
    DATABASE_URL: 'postgres://u:p@h/db',
    DATABASE_READ_URL: 'postgres://u:p@r/db',
    LOYALTY_DATA: '/data',
    LOYALTY_SERVE: 'pos',
    LOYALTY_PROCESSES: '2',
    LOYALTY_WORKERS: '8',
    LOYALTY_RATE: '0',
    LOYALTY_BURST: '7',
    LOYALTY_MAX_LINES: '10',
    LOYALTY_MAX_BODY: '4096',
    LOYALTY_CHANNELS: 'web, kiosk',
    LOYALTY_DEADLINE_MS: '100',
    LOYALTY_EXPIRY_S: '2',
    LOYALTY_IDEMPOTENCY_S: '3',
    LOYALTY_RECORD_DAYS: '400',
    LOYALTY_BODY_DAYS: '4',
    LOYALTY_EVENT_DAYS: '7',
    LOYALTY_WEBHOOK_HTTP: 'allowed',
    LOYALTY_PUBLISH_REVIEW: 'required',
    LOYALTY_PUBLISH_WORST: 'require',
    ...{ LOYALTY_POS_RETURNS: 'off', LOYALTY_PARTNER_PAGE: 'on', LOYALTY_PARTNER_KEY: `${long}${long}` },
    LOYALTY_WEBHOOK_NETWORKS: '10.1.0.0/16, fd00::/8',
    LOYALTY_DISCOUNT_CODE: 'ÄÖ 🎁',
    LOYALTY_LOG: 'silent',
  }
  t.same(configOf(env), {
    environment: 'production',
    secrets: [`old-${long}`, `new-${long}`],
    secretsFile,
    secretOverlapS: 60,
    programmeFile: keyFile,
    http: { host: '::1', port: 0 },
    grpc: { host: 'localhost', port: 65535 },
    tokens: [
      { role: 'reader', token: `abc${long}` },
      { role: 'admin', token: `d:e=${long}` },
    ],
    oidc: null,
    corsOrigins: ['https://console.example', 'http://localhost:5173'],
    tls: { certFile, keyFile, clientCaFile: certFile },
    redisUrl: 'redis://a:1,redis://b:2',
    databaseUrl: 'postgres://u:p@h/db',
    databaseReadUrl: 'postgres://u:p@r/db',
    dataFolder: '/data',
    serve: 'pos',
    processes: 2,
    internalApart: false,
    workers: 8,
    rate: 0,
    burst: 7,
    linesMax: 10,
    channels: ['web', 'kiosk'],
    bodyBytesMax: 4096,
    deadlineMs: 100,
    expiryS: 2,
    idempotencyS: 3,
    bodyDays: 4,
    recordDays: 400,
    eventDays: 7,
    webhooks: { http: 'allowed', networks: ['10.1.0.0/16', 'fd00::/8'] },
    ...{ posReturns: false, partnerPage: true, partnerKey: `${long}${long}` },
    publishReview: 'required',
    publishWorst: 'require',
    discountCode: 'ÄÖ 🎁',
    logKey: null,
    traces: null,
    logLevel: 'silent',
  })
})

/** The least settings of a provider. */
const oidc = {
  LOYALTY_OIDC_ISSUER: 'https://id.example/realms/shops',
  LOYALTY_OIDC_CLIENT_ID: 'console',
  LOYALTY_OIDC_BASE_URL: 'https://loyalty.example',
  LOYALTY_OIDC_ROLES: 'admin:owners, support:cn=help,ou=groups, support:a:b',
}

t.test('an OpenID provider is read, its groups with commas and colons', async (t) => {
  const read = {
    issuer: 'https://id.example/realms/shops',
    clientId: 'console',
    clientSecret: null,
    baseUrl: 'https://loyalty.example',
    name: 'id.example',
    scopes: 'openid profile email',
    groupsClaim: 'groups',
    roles: [
      { role: 'admin', group: 'owners' },
      { role: 'support', group: 'cn=help,ou=groups' },
      { role: 'support', group: 'a:b' },
    ],
    sessionS: 28_800,
  }
  t.match(readConfig(oidc, 4), { config: { oidc: read } })
  const more = {
    LOYALTY_OIDC_CLIENT_SECRET: 'hunter2',
    LOYALTY_OIDC_NAME: 'Head office',
    LOYALTY_OIDC_SCOPES: 'openid groups',
    LOYALTY_OIDC_GROUPS_CLAIM: 'realm_access.roles',
    LOYALTY_OIDC_SESSION_S: '60',
  }
  const changed = { clientSecret: 'hunter2', name: 'Head office', scopes: 'openid groups', sessionS: 60 }
  t.match(readConfig({ ...oidc, ...more }, 4), {
    config: { oidc: { ...read, ...changed, groupsClaim: 'realm_access.roles' } },
  })
  for (const issuer of ['http://localhost:8180', 'http://127.0.0.1:8180/x', 'http://[::1]:8180']) {
    t.match(readConfig({ ...oidc, LOYALTY_OIDC_ISSUER: issuer }, 4), { config: { oidc: { issuer } } })
  }
})

t.test('half a provider, or a faulty one, stops the start with the name of the variable', async (t) => {
  for (const [name, value] of [
    ['LOYALTY_OIDC_ISSUER', 'http://id.example'],
    ['LOYALTY_OIDC_ISSUER', 'http://127.0.0.1.example'],
    ['LOYALTY_OIDC_ISSUER', 'https://id.example/?x=1'],
    ['LOYALTY_OIDC_ISSUER', 'id.example'],
    ['LOYALTY_OIDC_ISSUER', ''],
    ['LOYALTY_OIDC_CLIENT_ID', ''],
    ['LOYALTY_OIDC_BASE_URL', ''],
    ['LOYALTY_OIDC_BASE_URL', 'https://loyalty.example/'],
    ['LOYALTY_OIDC_BASE_URL', 'loyalty.example'],
    ['LOYALTY_OIDC_ROLES', ''],
    ['LOYALTY_OIDC_ROLES', 'owners'],
    ['LOYALTY_OIDC_ROLES', 'root:owners'],
    ['LOYALTY_OIDC_ROLES', 'admin:'],
    ['LOYALTY_OIDC_NAME', 'a\nb'],
    ['LOYALTY_OIDC_SCOPES', 'profile email'],
    ['LOYALTY_OIDC_SESSION_S', '59'],
    ['LOYALTY_OIDC_SESSION_S', '86401'],
  ] as const) {
    const faults = faultsOf({ ...oidc, [name]: value })
    t.equal(faults.length, 1, `${name}=${value}`)
    t.match(faults[0], `${name}: expected `)
  }
  t.match(faultsOf({ LOYALTY_OIDC_CLIENT_SECRET: 'hunter2' }), [/^LOYALTY_OIDC_ISSUER: expected (?!.*hunter2)/])
})

t.test('each bad value is one line that names its variable and what was expected, and repeats no secret', async (t) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'loyalty-config-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const empty = path.join(folder, 'empty')
  await writeFile(empty, '\n\n')
  const rows: [string, string][] = [
    ['LOYALTY_ENVIRONMENT', 'Production'],
    ...['hunter2,,x', ',hunter2', 'hunter2,'.repeat(17)].map((text): [string, string] => ['LOYALTY_SECRETS', text]),
    ['LOYALTY_SECRETS_FILE', empty],
    ['LOYALTY_SECRETS_FILE', import.meta.filename],
    ...['0', '86401', '1.5', '10m'].map((text): [string, string] => ['LOYALTY_SECRET_OVERLAP_S', text]),
    ['LOYALTY_SECRETS_FILE', path.join(folder, 'none')],
    ['LOYALTY_PROGRAM', folder],
    ...['8080', ':8080', 'a:', 'a:65536', 'a:-1', '::1:80', '[::1]', 'a b:80', 'http://a:80', 'a:80/'].map(
      (text): [string, string] => ['LOYALTY_HTTP', text],
    ),
    ['LOYALTY_GRPC', '127.0.0.1:8080'],
    ...['LOYALTY_LOG_KEY', 'LOYALTY_PARTNER_KEY'].map((name): [string, string] => [name, 'hunter2']),
    ['LOYALTY_PARTNER_PAGE', 'no'],
    ...[
      '*',
      'null',
      'console.example',
      'https://a.example/',
      'https://a.example/x',
      'https://A.example',
      'ftp://a.example',
      'https://a.example:443',
      'https://a.example,',
    ].map((text): [string, string] => ['LOYALTY_CORS_ORIGINS', text]),
    ...['hunter2', 'localhost:4318', 'ftp://hunter2'].map((url): [string, string] => [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      url,
    ]),
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'grpc://a:4317'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ...['2', '-1', 'x', '1e-1'].map((ratio): [string, string] => ['OTEL_TRACES_SAMPLER_ARG', ratio]),
    ...['hunter2', 'root:hunter2', 'reader:', 'reader:hunter2,admin:hunter2', 'admin:hunter 2'].map(
      (text): [string, string] => ['LOYALTY_TOKENS', text],
    ),
    ...['hunter2', 'http://hunter2', 'redis://a,hunter2'].map((text): [string, string] => ['REDIS_URL', text]),
    ['DATABASE_READ_URL', 'postgres://root:hunter2@a,b/c'],
    ['LOYALTY_RECORD_DAYS', '399'],
    ['LOYALTY_EVENT_DAYS', '6'],
    ['LOYALTY_WEBHOOK_HTTP', 'yes'],
    ['LOYALTY_PUBLISH_REVIEW', 'yes'],
    ['LOYALTY_PUBLISH_WORST', 'yes'],
    ['LOYALTY_POS_RETURNS', 'no'],
    ...'10.0.0.0 10.0.0.0/33 10.0.0/8 fd00::/129 fe80::1%eth0/64 10.0.0.0/8/8 10.0.0.0/8, x/8'
      .split(' ')
      .map((text): [string, string] => ['LOYALTY_WEBHOOK_NETWORKS', text]),
    ['DATABASE_URL', 'mysql://root:hunter2@a/b'],
    ['DATABASE_URL', 'postgres://root:hunter2@a:x/b'],
    ['DATABASE_URL', 'postgres://root:hunter2@a:5432,b:5432/b'],
    ['DATABASE_URL', 'postgres://root:hunter2@a:5432/b,postgres://root:hunter2@b:5432/b'],
    ['DATABASE_URL', 'postgres://root:1234/hunter2@a:5432/b'],
    ['DATABASE_URL', 'postgres://root:1234?hunter2@a/b'],
    ...['0', '-1', '1.5', '1e2', 'x', '257', ' 1'].map((text): [string, string] => ['LOYALTY_WORKERS', text]),
    ['LOYALTY_RATE', '-1'],
    ['LOYALTY_BURST', 'ten'],
    ['LOYALTY_MAX_LINES', '0'],
    ['LOYALTY_MAX_BODY', '1023'],
    ...['pos', 'Web', 'web,web', 'web,'].map((text): [string, string] => ['LOYALTY_CHANNELS', text]),
    ['LOYALTY_DEADLINE_MS', '0'],
    ['LOYALTY_EXPIRY_S', '604801'],
    ['LOYALTY_IDEMPOTENCY_S', '0'],
    ['LOYALTY_DISCOUNT_CODE', 'x'.repeat(65)],
    ['LOYALTY_DISCOUNT_CODE', 'a\nb'],
    ['LOYALTY_DATA', ' '],
    ['LOYALTY_DATA', '/var/lib/loyalty '],
    ['LOYALTY_LOG', 'verbose'],
  ]
  for (const [name, value] of rows) {
    const faults = faultsOf({ [name]: value })
    t.equal(faults.length, 1, `${name}=${value.slice(0, 20)}`)
    t.match(faults[0], new RegExp(`^${name}: expected .+, received .+`))
    t.notMatch(faults[0], /hunter2|\n/)
  }
  t.comment(`${rows.length} cases`)
})

t.test('production requires secrets and tokens, and a certificate with its key', async (t) => {
  const { certFile, keyFile } = await certificateFiles(t)
  const other = await certificateFiles(t)
  t.same(
    faultsOf({ LOYALTY_ENVIRONMENT: 'production' }).map((fault) => fault.split(':')[0]),
    ['LOYALTY_SECRETS', 'LOYALTY_TOKENS'],
  )
  t.same(faultsOf(production), [])
  t.same(faultsOf({ ...production, LOYALTY_SECRETS: undefined, LOYALTY_SECRETS_FILE: await aSecretsFile(t) }), [])
  const revoking = await aSecretsFile(t)
  await writeFile(revoking, `revoked:${'a'.repeat(64)}\n`)
  t.same(faultsOf({ ...production, LOYALTY_SECRETS_FILE: revoking }), [], 'what a running service takes starts one too')
  t.match(faultsOf({ ...production, LOYALTY_SECRETS: undefined, LOYALTY_SECRETS_FILE: revoking }), [
    /^LOYALTY_SECRETS_FILE: expected a file of 1 to 16 secrets/,
  ])
  t.match(faultsOf({ LOYALTY_TLS_CERT: certFile }), [/^LOYALTY_TLS_KEY: /])
  t.match(faultsOf({ LOYALTY_TLS_KEY: keyFile }), [/^LOYALTY_TLS_CERT: /])
  t.match(faultsOf({ LOYALTY_TLS_CERT: certFile, LOYALTY_TLS_KEY: other.keyFile }), [/^LOYALTY_TLS_CERT: /])
  t.match(faultsOf({ LOYALTY_TLS_CLIENT_CA: certFile }), [/^LOYALTY_TLS_CERT: .*LOYALTY_TLS_CLIENT_CA/])
  t.match(faultsOf({ LOYALTY_TLS_CLIENT_CA: keyFile }), [/^LOYALTY_TLS_CLIENT_CA: expected a file of PEM/])
  t.match(faultsOf({ LOYALTY_TLS_CERT: keyFile, LOYALTY_TLS_KEY: certFile }), [/^LOYALTY_TLS_CERT: /])
})

t.test('DATABASE_URL names one server, and a fault says so where it names several', async (t) => {
  for (const url of ['postgres://u:p,q@a:1/b?x=1,2', 'postgresql://[::1]:3/c', 'postgres://u@a']) {
    t.same(faultsOf({ DATABASE_URL: url }), [])
  }
  for (const url of ['postgres://u:p@a:1,b:2/c', 'postgres://a,b']) {
    t.match(faultsOf({ DATABASE_URL: url }), [/^DATABASE_URL: .* one host and not several/])
  }
  t.match(faultsOf({ DATABASE_READ_URL: 'postgres://a/b' }), [/^DATABASE_URL: .*DATABASE_READ_URL/])
})

t.test('all faults are reported at once', async (t) => {
  t.equal(faultsOf({ LOYALTY_ENVIRONMENT: 'production', LOYALTY_RATE: 'x', LOYALTY_LOG: 'y' }).length, 4)
})

t.test('on production each process needs only what it serves with', async (t) => {
  const production = { LOYALTY_ENVIRONMENT: 'production' }
  t.match(faultsOf({ ...production, LOYALTY_SERVE: 'pos' }), [/^LOYALTY_SECRETS: /])
  t.match(faultsOf({ ...production, LOYALTY_SERVE: 'internal' }), [/^LOYALTY_TOKENS: /])
  t.match(faultsOf(production), [/^LOYALTY_SECRETS: /, /^LOYALTY_TOKENS: /])
})

t.test('nodes of a Redis cluster have equal credentials, as those of the first count', async (t) => {
  const accepted = (text: string) => faultsOf({ REDIS_URL: text }).length === 0
  t.ok(accepted('redis://a:1, redis://b:2'))
  t.ok(accepted('rediss://u:p@a:1,rediss://u:p@b:2'))
  t.ok(accepted('rediss://u:p@a:1,rediss://b:2'))
  t.ok(accepted('redis://a:1/3'), 'one server has databases')
  t.notOk(accepted('redis://a:1,rediss://b:2'))
  t.notOk(accepted('redis://:p@a:1,redis://:q@b:2'))
  t.notOk(accepted('redis://a:1/3,redis://b:2/3'), 'a cluster has none')
})

t.test('traces go where OpenTelemetry’s own variables say, at their sampling rate', (t) => {
  const traces = (env: Record<string, string>) => {
    const read = readConfig(env)
    if (read.kind === 'faults') throw new Error(read.faults.join())
    return read.config.traces
  }
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector:4318/' }
  t.same(traces(endpoint), {
    url: 'https://collector:4318/v1/traces',
    serviceName: 'loyalty-partner-service',
    sampler: 'parentbased_always_on',
    ratio: 1,
  })
  const more = {
    OTEL_SERVICE_NAME: 'POS callers',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  }
  const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://other/spans' }
  t.same(traces({ ...endpoint, ...own, ...more }), {
    url: 'http://other/spans',
    serviceName: 'POS callers',
    sampler: 'traceidratio',
    ratio: 0.25,
  })
  t.equal(traces({ ...endpoint, OTEL_SDK_DISABLED: 'true' }), null)
  t.equal(traces(more), null)
  t.end()
})
