import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import os from 'node:os'
import { createSecureContext } from 'node:tls'
import { channelsFrom } from '../../engine/wire/channels.js'
import {
  bodyDaysDefault,
  bodyDaysMax,
  eventDaysDefault,
  eventDaysMin,
  recordDaysMax,
  recordDaysMin,
  serverUrl,
} from '../../store/postgres/connection/options.js'
import { type Address, type Config, roleNames, tracesSamplers } from './config.js'
import { isNetwork } from './networks.js'
import { readProcesses } from './processes.js'
import { readOidc } from './read-oidc.js'
import { readTokens } from './secrets.js'
import {
  isTooShort,
  productionCharactersMin,
  readSecretsFile as readSecretsText,
  secretForm,
  secretsMax,
} from './secrets-file.js'
import { shownSettings } from './settings.js'
import { type Environment, hidden, quoted, readWhole, readWord, type Source, withFiles } from './source.js'

export type ConfigRead =
  | { readonly kind: 'read'; readonly config: Config }
  /** One line per fault, with the variable, the expected and the received value; never a secret. */
  | { readonly kind: 'faults'; readonly faults: readonly string[] }

/**
 * Reads every setting of wire decisions 7, all faults at once. An empty variable counts as not set. Named files must be readable, so that
 * a mistake stops the start and not the first sale.
 *
 * @param cores  processor cores of the machine, for the number of processes and pricing threads
 */
export function readConfig(given: Environment, cores = os.availableParallelism()): ConfigRead {
  const faults: string[] = []
  const fault: Source['fault'] = (name, expected, received) =>
    void faults.push(`${name}: expected ${expected}, received ${received}`)
  const env = withFiles(given, fault)
  const source: Source = { text: (name) => (env[name] === '' ? undefined : env[name]), fault }
  const redisUrl = readRedisUrl(source)
  const databaseUrl = readDatabaseUrl(source, 'DATABASE_URL')
  const serve = readWord(source, 'LOYALTY_SERVE', ['both', 'pos', 'internal'] as const, 'both')
  const { processes, internalApart } = readProcesses(source, {
    serve,
    cores,
    shared: redisUrl !== null && databaseUrl !== null,
  })
  const workers = Math.max(1, Math.floor(cores / processes) - 1)
  const environment = readWord(source, 'LOYALTY_ENVIRONMENT', ['staging', 'production'] as const, 'staging')
  const config: Config = {
    environment,
    ...readAccess(source, environment),
    programmeFile: readFileName(source, 'LOYALTY_PROGRAM'),
    http: readAddress(source, 'LOYALTY_HTTP', { host: '127.0.0.1', port: 8080 }),
    grpc: readAddress(source, 'LOYALTY_GRPC', { host: '127.0.0.1', port: 9090 }),
    redisUrl,
    databaseUrl,
    databaseReadUrl: readDatabaseUrl(source, 'DATABASE_READ_URL'),
    dataFolder: readDataFolder(source),
    ...{ serve, processes, internalApart },
    workers: readWhole(source, 'LOYALTY_WORKERS', workers, [1, 256]),
    rate: readWhole(source, 'LOYALTY_RATE', 50, [0, 1_000_000]),
    burst: readWhole(source, 'LOYALTY_BURST', 100, [0, 1_000_000]),
    linesMax: readWhole(source, 'LOYALTY_MAX_LINES', 200, [1, 10_000]),
    bodyBytesMax: readWhole(source, 'LOYALTY_MAX_BODY', 262_144, [1_024, 16_777_216]),
    channels: readChannels(source),
    deadlineMs: readWhole(source, 'LOYALTY_DEADLINE_MS', 450, [1, 60_000]),
    expiryS: readWhole(source, 'LOYALTY_EXPIRY_S', 1_800, [1, 604_800]),
    idempotencyS: readWhole(source, 'LOYALTY_IDEMPOTENCY_S', 86_400, [1, 2_592_000]),
    bodyDays: readWhole(source, 'LOYALTY_BODY_DAYS', bodyDaysDefault, [1, bodyDaysMax]),
    recordDays: readRecordDays(source),
    eventDays: readWhole(source, 'LOYALTY_EVENT_DAYS', eventDaysDefault, [eventDaysMin, recordDaysMax]),
    webhooks: {
      http: readWord(source, 'LOYALTY_WEBHOOK_HTTP', ['refused', 'allowed'] as const, 'refused'),
      networks: readNetworks(source),
    },
    publishReview: readWord(source, 'LOYALTY_PUBLISH_REVIEW', ['optional', 'required'] as const, 'optional'),
    publishWorst: readWord(source, 'LOYALTY_PUBLISH_WORST', ['off', 'warn', 'require'] as const, 'off'),
    posReturns: readWord(source, 'LOYALTY_POS_RETURNS', onOff, 'on') === 'on',
    partnerPage: readWord(source, 'LOYALTY_PARTNER_PAGE', onOff, environment === 'staging' ? 'on' : 'off') === 'on',
    partnerKey: readLongKey(source, 'LOYALTY_PARTNER_KEY'),
    discountCode: readDiscountCode(source),
    logKey: readLongKey(source, 'LOYALTY_LOG_KEY'),
    traces: readTraces(source),
    shown: shownSettings(env),
    logLevel: readWord(
      source,
      'LOYALTY_LOG',
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const,
      'info',
    ),
  }
  checkTogether(source, config)
  return faults.length === 0 ? { kind: 'read', config } : { kind: 'faults', faults }
}

function readAccess(source: Source, environment: Config['environment']) {
  const secrets = readSecretList(source)
  return {
    secrets,
    secretsFile: readSecretsFile(source, environment, secrets),
    secretOverlapS: readWhole(source, 'LOYALTY_SECRET_OVERLAP_S', 600, [1, 86_400]),
    tokens: readTokenList(source),
    oidc: readOidc(source),
    corsOrigins: readOrigins(source),
    tls: readTlsFiles(source),
  }
}

/** Faults of settings that depend on each other. */
function checkTogether(source: Source, config: Config): void {
  const { environment, secrets, secretsFile, http, grpc, processes, serve } = config
  if (processes > 1 && (config.databaseUrl === null || config.redisUrl === null)) {
    const shared = '1, or DATABASE_URL and REDIS_URL besides: embedded stores serve one process'
    source.fault('LOYALTY_PROCESSES', shared, String(processes))
  }
  if (http.port !== 0 && http.port === grpc.port && http.host === grpc.host) {
    source.fault('LOYALTY_GRPC', 'another address than LOYALTY_HTTP', quoted(`${grpc.host}:${grpc.port}`))
  }
  if (config.databaseReadUrl !== null && config.databaseUrl === null) {
    source.fault('DATABASE_URL', 'the primary, since DATABASE_READ_URL is set', 'nothing')
  }
  if (environment !== 'production') return
  const isSet = (name: string) => source.text(name) !== undefined
  const noSecret =
    secrets.length === 0 && secretsFile === null && !isSet('LOYALTY_SECRETS') && !isSet('LOYALTY_SECRETS_FILE')
  if (serve !== 'internal' && noSecret) {
    source.fault('LOYALTY_SECRETS', 'signing secrets (or LOYALTY_SECRETS_FILE) on production', 'nothing')
  }
  if (serve !== 'pos' && !isSet('LOYALTY_TOKENS')) source.fault('LOYALTY_TOKENS', 'role:token on production', 'nothing')
  if (serve !== 'internal' && config.partnerPage && !isSet('LOYALTY_PARTNER_KEY')) {
    source.fault('LOYALTY_PARTNER_KEY', 'a key, since LOYALTY_PARTNER_PAGE is on', 'nothing')
  }
  checkLengths(source, config)
}

/** The lines of LOYALTY_SECRETS_FILE are checked when they are read, and LOYALTY_LOG_KEY is long everywhere. */
function checkLengths(source: Source, { environment, secrets, tokens, oidc }: Config): void {
  const given = {
    LOYALTY_SECRETS: secrets,
    LOYALTY_TOKENS: tokens.map(({ token }) => token),
    LOYALTY_OIDC_CLIENT_SECRET: oidc?.clientSecret == null ? [] : [oidc.clientSecret],
  }
  for (const [name, texts] of Object.entries(given)) {
    const at = texts.findIndex((text) => isTooShort(text, environment))
    if (at < 0) continue
    const expected = `at least ${productionCharactersMin} characters on production`
    source.fault(name, expected, texts.length === 1 ? 'fewer' : `fewer, in number ${at + 1} of ${texts.length}`)
  }
}

/** `host:port`; an IPv6 host in brackets; port 0 takes a free one. */
function readAddress(source: Source, name: string, fallback: Address): Address {
  const text = source.text(name)
  if (text === undefined) return fallback
  const match = /^(?:\[([0-9A-Fa-f:.]+(?:%[\w.-]+)?)\]|([^\s:[\]/@]+)):([0-9]{1,5})$/.exec(text)
  const port = Number(match?.[3])
  if (match !== null && port <= 65_535) return { host: (match[1] ?? match[2])!, port }
  source.fault(name, 'host:port, such as 127.0.0.1:8080 or [::1]:8080', quoted(text))
  return fallback
}

function readSecretList(source: Source): readonly string[] {
  const text = source.text('LOYALTY_SECRETS')
  if (text === undefined) return []
  const secrets = text.split(',').map((secret) => secret.trim())
  if (secrets.length <= secretsMax && secrets.every((secret) => secret !== '')) return secrets
  source.fault('LOYALTY_SECRETS', `1 to ${secretsMax} secrets, comma-separated, none of them empty`, hidden)
  return []
}

/** Where the environment has secrets it may hold only `revoked:` lines. */
function readSecretsFile(source: Source, environment: Config['environment'], own: readonly string[]): string | null {
  const file = readFileName(source, 'LOYALTY_SECRETS_FILE')
  if (file === null) return file
  const read = readSecretsText(readFileSync(file, 'utf8'), environment)
  if (read.kind === 'read' && read.secrets.length + own.length > 0) return file
  const { reason, line } = read.kind === 'refused' ? read : { reason: 'empty', line: null }
  const expected = `a file of 1 to ${secretsMax} secrets, one a line, each ${secretForm(environment)}`
  source.fault('LOYALTY_SECRETS_FILE', expected, line === null ? reason : `${reason} (line ${line})`)
  return null
}

function readTokenList(source: Source): Config['tokens'] {
  const text = source.text('LOYALTY_TOKENS')
  if (text === undefined) return []
  const tokens = readTokens(text.split(','))
  if (tokens === null) {
    source.fault('LOYALTY_TOKENS', `role:token, comma-separated, roles ${roleNames.join(', ')}, no token twice`, hidden)
  }
  return tokens ?? []
}

/** Exactly as browsers send them: no path, no slash at the end, no `*`. */
function readOrigins(source: Source): readonly string[] {
  const name = 'LOYALTY_CORS_ORIGINS'
  const text = source.text(name)
  if (text === undefined) return []
  const origins = text.split(',').map((origin) => origin.trim())
  const isOrigin = (origin: string) =>
    /^https?:\/\//.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin
  if (origins.length <= originsMax && origins.every(isOrigin)) return origins
  source.fault(name, `1 to ${originsMax} origins such as https://console.example, comma-separated`, quoted(text))
  return []
}

const originsMax = 32

function readTlsFiles(source: Source): Config['tls'] {
  const names = ['LOYALTY_TLS_CERT', 'LOYALTY_TLS_KEY'] as const
  const clientCaFile = readClientCaFile(source)
  const missing = names.filter((name) => source.text(name) === undefined)
  if (missing.length === 2) {
    if (clientCaFile !== null)
      source.fault('LOYALTY_TLS_CERT', 'a PEM file, since LOYALTY_TLS_CLIENT_CA is set', 'nothing')
    return null
  }
  if (missing.length === 1) {
    source.fault(missing[0]!, 'a PEM file, since its counterpart is set', 'nothing')
    return null
  }
  const [certFile, keyFile] = names.map((name) => readFileName(source, name))
  if (!certFile || !keyFile) return null
  try {
    createSecureContext({ cert: readFileSync(certFile), key: readFileSync(keyFile) })
    return { certFile, keyFile, clientCaFile }
  } catch {
    source.fault('LOYALTY_TLS_CERT', 'a PEM certificate that fits the PEM key of LOYALTY_TLS_KEY', quoted(certFile))
    return null
  }
}

/** The authorities that sign clients of the internal listener. */
function readClientCaFile(source: Source): string | null {
  const file = readFileName(source, 'LOYALTY_TLS_CLIENT_CA')
  if (file === null) return null
  const [, ...certificates] = readFileSync(file, 'utf8').split('-----BEGIN CERTIFICATE-----')
  try {
    for (const each of certificates) new X509Certificate(`-----BEGIN CERTIFICATE-----${each}`)
    if (certificates.length > 0) return file
  } catch {}
  source.fault('LOYALTY_TLS_CLIENT_CA', 'a file of PEM certificates', quoted(file))
  return null
}

function readFileName(source: Source, name: string): string | null {
  const file = source.text(name)
  if (file === undefined) return null
  try {
    readFileSync(file)
    return file
  } catch (error) {
    source.fault(name, 'a file that can be read', `${quoted(file)} (${(error as NodeJS.ErrnoException).code})`)
    return null
  }
}

/** A store's URL, or several nodes of a cluster. It may hold a password: it is never repeated. */
function readUrl(source: Source, name: string, protocols: readonly string[], expected: string): string | null {
  const text = source.text(name)
  if (text === undefined) return null
  const fits = text
    .split(',')
    .every((node) => URL.canParse(node.trim()) && protocols.includes(new URL(node.trim()).protocol))
  if (fits) return text
  source.fault(name, expected, hidden)
  return null
}

/** One server, or nodes of one cluster: user, password and TLS come from the first, so the others may not differ. */
function readRedisUrl(source: Source): string | null {
  const text = readUrl(
    source,
    'REDIS_URL',
    ['redis:', 'rediss:'],
    'redis://host:port, or nodes of a cluster, comma-separated',
  )
  if (text === null) return null
  const [first, ...others] = text.split(',').map((node) => new URL(node.trim()))
  const sameAccess = (node: URL) =>
    node.protocol === first!.protocol && node.username === first!.username && node.password === first!.password
  const isFirstOrBare = (node: URL) => sameAccess(node) || (node.protocol === first!.protocol && node.password === '')
  if (others.every(isFirstOrBare) && (others.length === 0 || [first!, ...others].every(hasNoDatabase))) return text
  const expected = 'nodes of one cluster: all redis:// or all rediss://, one user and password, no database number'
  source.fault('REDIS_URL', expected, hidden)
  return null
}

function hasNoDatabase({ pathname }: URL): boolean {
  return ['', '/', '/0'].includes(pathname)
}

function readDatabaseUrl(source: Source, name: string): string | null {
  const text = source.text(name)
  if (text === undefined) return null
  if (serverUrl(text) !== null) return text
  source.fault(name, 'postgres://user:password@host:port/database, one host and not several', hidden)
  return null
}

/** 0: for ever; else longer than all other records are stored. */
function readRecordDays(source: Source): number {
  return source.text('LOYALTY_RECORD_DAYS') === '0'
    ? 0
    : readWhole(source, 'LOYALTY_RECORD_DAYS', 0, [recordDaysMin, recordDaysMax])
}

function readNetworks(source: Source): readonly string[] {
  const name = 'LOYALTY_WEBHOOK_NETWORKS'
  const text = source.text(name)
  if (text === undefined) return []
  const networks = text.split(',').map((network) => network.trim())
  if (networks.every(isNetwork)) return networks
  source.fault(name, 'networks such as 10.1.0.0/16 or fd00::/8, comma-separated', quoted(text))
  return []
}

function readChannels(source: Source): readonly string[] {
  const name = 'LOYALTY_CHANNELS'
  const text = source.text(name)
  const channels = text === undefined ? [] : channelsFrom(text)
  if (channels === null) source.fault(name, 'names such as web,kiosk: at most 16, without pos and mpos', quoted(text!))
  return channels ?? []
}

/** White space around it is a mistake: it would name another folder, without the data of the right one. */
function readDataFolder(source: Source): string {
  const folder = source.text('LOYALTY_DATA') ?? '.data'
  if (folder.trim() === folder) return folder
  source.fault('LOYALTY_DATA', 'a folder, without white space around it', quoted(folder))
  return folder
}

function readDiscountCode(source: Source): string {
  const name = 'LOYALTY_DISCOUNT_CODE'
  const code = source.text(name) ?? 'THIRD_PARTY_LOYALTY'
  if (/^[^\p{Cc}\p{Cs}]{1,64}$/u.test(code)) return code
  source.fault(name, '1 to 64 characters, no control characters', quoted(code))
  return code
}

/** Loyalty ids and venue ids can be guessed: a short key could be found by trial. */
function readLongKey(source: Source, name: string): string | null {
  const key = source.text(name)
  if (key === undefined || key.length >= keyCharactersMin) return key ?? null
  source.fault(name, `at least ${keyCharactersMin} characters`, hidden)
  return null
}

const keyCharactersMin = 32
const onOff = ['on', 'off'] as const

/** OpenTelemetry's own names; its exporter reads OTEL_EXPORTER_OTLP_HEADERS, _TIMEOUT, _COMPRESSION and _CERTIFICATE itself. */
function readTraces(source: Source): Config['traces'] {
  const own = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
  const shared = 'OTEL_EXPORTER_OTLP_ENDPOINT'
  const name = source.text(own) === undefined ? shared : own
  const endpoint = source.text(name)
  const sampler = readWord(source, 'OTEL_TRACES_SAMPLER', tracesSamplers, 'parentbased_always_on')
  const ratio = readRatio(source, 'OTEL_TRACES_SAMPLER_ARG')
  for (const protocol of ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL']) {
    readWord(source, protocol, ['http/json'] as const, 'http/json')
  }
  if (endpoint === undefined || source.text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return null
  const base = URL.canParse(endpoint) ? new URL(endpoint) : null
  if (base === null || !['http:', 'https:'].includes(base.protocol)) {
    source.fault(name, 'http:// or https:// and the address of an OTLP collector', hidden)
    return null
  }
  const url = name === own ? endpoint : `${endpoint.replace(/\/$/, '')}/v1/traces`
  return { url, serviceName: source.text('OTEL_SERVICE_NAME') ?? 'loyalty-partner-service', sampler, ratio }
}

function readRatio(source: Source, name: string): number {
  const text = source.text(name)
  if (text === undefined) return 1
  const ratio = /^[0-9]*\.?[0-9]+$/.test(text) ? Number(text) : Number.NaN
  if (ratio <= 1) return ratio
  source.fault(name, 'a number from 0 to 1', quoted(text))
  return 1
}
