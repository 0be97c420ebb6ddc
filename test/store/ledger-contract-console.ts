import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import type { ConsoleSessions } from '../../store/ledger/console-sessions.js'

const aDay = 86_400_000
const anna = { role: 'support', name: 'anna (1)', issuer: 'https://id.example' }

/** Sessions of the console, and tickets that begin one. @param again  the same sessions, as another gateway has them */
export async function consolePromises(t: Test, sessions: ConsoleSessions, again: ConsoleSessions): Promise<void> {
  const begun = async (isTicket: boolean, lifetimeMs = aDay) => {
    const digest = randomUUID()
    await sessions.begin({ ...anna, digest, isTicket, lifetimeMs })
    return digest
  }

  await t.test('a session that one gateway began is found by another, until either ends it', async (t) => {
    const [own, other] = [await begun(false), await begun(false)]
    const { endsAtMs, nowMs, ...found } = (await again.find(own))!
    t.same(found, anna)
    t.ok(Math.abs(nowMs - Date.now()) < 60_000, 'the clock of the ledger comes with it')
    t.ok(Math.abs(endsAtMs - nowMs - aDay) < 60_000, 'it ends when it was to')
    await again.end(own)
    t.equal(await sessions.find(own), null)
    t.equal(await again.find(own), null)
    t.match(await sessions.find(other), anna, 'no other session ends')
    await again.end(own)
  })

  await t.test('a session ends by itself', async (t) => {
    const digest = await begun(false, 1)
    await sleep(20)
    t.equal(await sessions.find(digest), null)
    t.match(await again.find(await begun(false)), anna, 'the next one drops it')
  })

  await t.test('a ticket begins one session, for one of many callers', async (t) => {
    const ticket = await begun(true)
    t.equal(await sessions.find(ticket), null, 'it is no session')
    await sessions.end(ticket)
    const digests = Array.from({ length: 8 }, () => randomUUID())
    const replies = await Promise.all(
      digests.map((digest, at) => [sessions, again][at % 2]!.redeem(ticket, { digest, lifetimeMs: aDay })),
    )
    t.equal(replies.filter(Boolean).length, 1)
    const found = await Promise.all(digests.map((digest) => again.find(digest)))
    t.same(
      found.map((session) => session !== null),
      replies,
    )
    t.match(found.find(Boolean), anna)
  })

  await t.test('a ticket that has ended, and one that never was, begin nothing', async (t) => {
    const ticket = await begun(true, 1)
    await sleep(20)
    for (const each of [ticket, randomUUID(), await begun(false)]) {
      const digest = randomUUID()
      t.equal(await sessions.redeem(each, { digest, lifetimeMs: aDay }), false)
      t.equal(await sessions.find(digest), null)
    }
  })
}
