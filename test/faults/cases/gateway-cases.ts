import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readProgramme } from '../../../engine/programme/read-programme.js'
import { newSecret } from '../../../gateway/config/secrets.js'
import { putContent, secretContents } from '../../gateway/config/secret-contents.js'
import { createPostgresLedger } from '../../support/open-ledger.js'
import type { Attempt, Call } from '../history.js'
import { maxima, programmeFile } from '../programmes.js'
import type { FaultCase, Stage } from '../run-case.js'
import { limitedBasket } from '../traffic.js'

/** Gateways die, stop or are asked to end: answers already sent stay, units of unanswered calls become free again. */
export const gatewayCases: readonly FaultCase[] = [
  {
    id: 'F1',
    title: 'a gateway killed at random moments',
    async run({ world, dice, full }) {
      for (let round = full ? 50 : 5; round > 0; round -= 1) {
        const slot = dice.pick(world.gateways)
        await sleep(dice.between(50, 600))
        await slot.end('SIGKILL')
        await sleep(dice.between(0, 300))
        await slot.start()
      }
    },
  },
  {
    id: 'F3',
    title: 'a gateway stopped 0.3, 2 and 11 s',
    async run({ world, dice, full }) {
      for (const ms of full ? [300, 300, 300, 2_000, 2_000, 11_000] : [300, 300, 2_000]) {
        await sleep(dice.between(50, 400))
        await dice.pick(world.gateways).freeze(ms)
      }
    },
  },
  {
    id: 'F6',
    title: 'Postgres out, the gateway that journals killed, Postgres back',
    share: { limited: 0.2, unlimited: 0.7, superseding: 0.02, repeated: 0.08 },
    load: 2,
    async run({ world, full }) {
      world.eachPostgresLink((link) => link.cut())
      await sleep(full ? 30_000 : 3_000)
      await world.gateways[0]!.end('SIGKILL')
      await sleep(500)
      world.heal()
      await world.gateways[0]!.start()
    },
  },
  { id: 'F45', title: 'SIGTERM and SIGINT under load, and a second SIGTERM', run: askedToEnd },
  {
    id: 'F47',
    title: 'a heap of 128 MB, and 64 bodies of 256 KB at once',
    env: { NODE_OPTIONS: '--max-old-space-size=128' },
    run: largeBodies,
  },
]

async function askedToEnd({ world, full }: Stage): Promise<readonly string[]> {
  const missed: string[] = []
  for (let round = 0; round < (full ? 10 : 3); round += 1) {
    const slot = world.gateways[round % world.gateways.length]!
    const began = performance.now()
    const code = await slot.end(round % 2 === 0 ? 'SIGTERM' : 'SIGINT')
    const ms = performance.now() - began
    if (code !== 0) missed.push(`a gateway asked to end exits with 0, not ${code}`)
    if (ms > 10_500) missed.push(`a gateway asked to end is gone within 10 s, not ${Math.round(ms)} ms`)
    await slot.start()
    await sleep(400)
  }
  const impatient = world.gateways[0]!
  const { child } = impatient.service!
  const code = impatient.end('SIGTERM')
  child.kill('SIGTERM')
  if ((await code) === null) missed.push('a second SIGTERM ends the process by itself')
  await impatient.start()
  return missed
}

/** Fills baskets with foreign text up to the size limit, all at once, three times. */
async function largeBodies({ client, dice }: Stage): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    const calls = Array.from({ length: 64 }, () => {
      const basket = limitedBasket(dice)
      const room = 262_144 - JSON.stringify({ ...basket, note: '' }).length
      const body = JSON.stringify({ ...basket, note: 'x'.repeat(room) })
      return client.call({ endpoint: 'basket', key: basket['calculationId'], body })
    })
    await Promise.all(calls)
  }
}

const stepMs = 10_000
/** Observed before a step, and after it, in milliseconds. */
const watchedMs = 2_500
/** 503s that a busy machine explains after a step. A gateway that does not follow the step gives ten times as many. */
const hiccupMax = 5

/**
 * The ledger's clock steps, as a wrong time server would set it, while calls run. Only baskets that were in the ledger at that moment
 * may get a 503; units expire by the new clock.
 */
export const clockCases: readonly FaultCase[] = [
  clockCase('clock-ahead', 'set forward by 10 s, and back', [stepMs, 0]),
  clockCase('clock-back', 'set back by 10 s, and forward again', [-stepMs, 0]),
  clockCase('clock-often', 'set forward and back by up to 10 s, again and again', [7_000, -3_000, 300, -stepMs, 60, 0]),
]

function clockCase(id: string, how: string, settings: readonly number[]): FaultCase {
  return { id, title: `the clock of Postgres ${how}`, clockSteps: 'server', run: (stage) => setClock(stage, settings) }
}

async function setClock({ world, client }: Stage, settings: readonly number[]): Promise<readonly string[]> {
  const missed: string[] = []
  for (const aheadMs of settings) {
    await sleep(watchedMs)
    const before = unavailable(client.history, performance.now() - watchedMs)
    await world.setLedgerClock(aheadMs)
    const from = performance.now()
    await sleep(watchedMs)
    const after = unavailable(client.history, from)
    if (after > 2 * before + hiccupMax)
      missed.push(`clock ${aheadMs} ms ahead: ${after} baskets were answered 503, ${before} before`)
  }
  return missed
}

function unavailable(history: readonly Call[], from: number): number {
  const is = ({ sentAt, answer }: Attempt) => sentAt >= from && answer?.status === 503
  return history
    .filter(({ endpoint }) => endpoint === 'basket')
    .reduce((sum, { attempts }) => sum + attempts.filter(is).length, 0)
}

const contentsTotal = 17
/** Time between two contents of the file: 58 a minute, or shorter in short runs, always longer than two reads of the file. */
const pauseMs = { full: 60_000 / 58, short: 700 }

/** The file of signing secrets has bad content: a valid secret is never refused. */
export const secretsCases: readonly FaultCase[] = [
  { id: 'F64', title: 'the secrets file rewritten 58 times a minute with 17 kinds of content', run: rewriteSecrets },
]

async function rewriteSecrets({ world, client, full }: Stage): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-fault-secrets-'))
  const file = join(folder, 'secrets')
  const contents = secretContents(world.doors.secret, newSecret())
  try {
    putContent(file, contents[0]!)
    for (const slot of world.gateways) {
      await slot.end('SIGTERM')
      await slot.start({ LOYALTY_SECRETS: '', LOYALTY_SECRETS_FILE: file })
    }
    for (let round = 0; round < (full ? 58 : contentsTotal); round += 1) {
      putContent(file, contents[round % contents.length]!)
      await sleep(full ? pauseMs.full : pauseMs.short)
    }
    putContent(file, contents[0]!)
  } finally {
    await sleep(pauseMs.full)
    rmSync(folder, { recursive: true, force: true })
  }
  const refused = client.history.flatMap(({ attempts }) => attempts.filter(({ answer }) => answer?.status === 401))
  return refused.length === 0 ? [] : [`no signed request is refused, but ${refused.length} got 401`]
}

const lowered = 40
const raised = 160
const limitId = 'bun-everyone'

/** The greatest maximum of every limit during the case, and the last one. */
export const raisedMaxima: ReadonlyMap<string, number> = new Map([...maxima, [limitId, raised]])

/** The programme changes during traffic: a maximum is lowered and raised, a bax moves to another venue and back. */
export const programmeCases: readonly FaultCase[] = [
  {
    id: 'F43',
    title: 'a programme published every 200 ms, a maximum lowered and raised, a bax moved',
    maxima: { greatest: raisedMaxima, last: raisedMaxima },
    run: publishAgainAndAgain,
  },
]

export async function publishAgainAndAgain({ world, full }: Stage): Promise<readonly string[]> {
  const file = await readFile(programmeFile, 'utf8')
  const ledger = await createPostgresLedger({
    url: world.databaseUrl,
    expiryS: 5,
    idempotencyS: 86_400,
    connections: 1,
  })
  const rounds = full ? 60 : 20
  try {
    for (let round = 0; round < rounds; round += 1) {
      const maximum = round % 2 === 0 ? lowered : raised
      const moved = round % 4 === 1 ? file.replace('"bax-2"', '"bax-2","bax-9"') : file
      const read = readProgramme(moved.replace('"units","maximum":100}', `"units","maximum":${maximum}}`))
      if (read.kind === 'faulty') return ['the programme of the case can be read']
      const { document, benefitsJson: benefits, venues, members, currencies, exchanges, rules } = read.programme
      const programme = { document, benefits, venues, members, currencies, exchanges, rules }
      await ledger.programmes.publishFile(programme)
      await sleep(200)
    }
    await sleep(1_500)
    const [row] = await world.sql`select count(distinct version)::int4 as versions from programme_version`
    return row!['versions'] > rounds ? [] : [`${rounds} versions are published, there are ${row!['versions']}`]
  } finally {
    await ledger.close()
  }
}
