import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { until } from '../support/until.js'
import { aBasket } from './basket.js'
import { startService, unhurried } from './service.js'

/** For the whole proof: `SWAPS=40 CALLS=20000 node dist/test/e2e/secret-swaps.test.js`. */
const swaps = Number(process.env['SWAPS'] ?? 4)
const callsMin = Number(process.env['CALLS'] ?? 1_000)
const posCallers = 8
const path = '/v1/pos/basket'

t.setTimeout(900_000)

t.test('signing secrets are swapped again and again under load, and no call is refused', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lps-secrets-'))
  const file = join(folder, 'secrets')
  const newSecret = () => randomBytes(32).toString('hex')
  let current = newSecret()
  writeFileSync(file, `${current}\n`)
  const service = await startService({
    env: { ...unhurried, LOYALTY_SECRETS_FILE: file, LOYALTY_SECRETS: '', LOYALTY_SECRET_OVERLAP_S: '2' },
    folder,
  })
  t.teardown(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const text = aBasket('TEST-NOT-FOUND', {
    venueId: 'oslo-cafe',
    baxId: '7100001',
    cashRegisterId: '1',
    channel: 'pos',
  })
    .with({ currency: 'NOK' })
    .line({ productId: 'x', unitPrice: 100 })
    .text()
  // 0: the connection was gone before the call, as after a machine that slept; the caller repeats.
  const statusWith = (secret: string) =>
    service.send(path, text, { secret }).then(
      ({ status }) => status,
      () => 0,
    )
  t.equal(
    await until(
      () => statusWith(current),
      (status) => status === 200,
    ),
    200,
  )

  const statuses = new Map<number, number>()
  let isOver = false
  const pos = async () => {
    for (;;) {
      const status = await statusWith(current)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (isOver) return
    }
  }
  const running = Array.from({ length: posCallers }, pos)
  for (let swap = 0; swap < swaps; swap += 1) {
    const [old, next] = [current, newSecret()]
    writeFileSync(file, `${old}\n${next}\n`)
    t.equal(
      await until(
        () => statusWith(next),
        (status) => status === 200,
      ),
      200,
      'the new secret serves beside the old one',
    )
    current = next
    // Calls signed with the old secret are answered before it is removed.
    await Promise.all(Array.from({ length: 2 * posCallers }, () => statusWith(old)))
    // In turns: its overlap ends, or it is revoked.
    writeFileSync(file, swap % 2 === 0 ? `${next}\n` : `${next}\nrevoked:${old}\n`)
    t.equal(
      await until(
        () => statusWith(old),
        (status) => status === 401,
      ),
      401,
      'the old one no longer',
    )
  }
  const calls = () => [...statuses.values()].reduce((sum, count) => sum + count, 0)
  await until(calls, (count) => count >= callsMin)
  isOver = true
  await Promise.all(running)
  t.comment(
    `${calls()} calls over ${swaps} swaps: ${[...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')}`,
  )
  t.same(
    [...statuses.keys()].filter((status) => status !== 0),
    [200],
  )
})
