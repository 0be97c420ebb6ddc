import { createHmac, randomBytes } from 'node:crypto'
import t from 'tap'
import type { Experiment } from '../../../engine/core/base/programme.js'
import { createArms } from '../../../gateway/cache/arms.js'

/** The pads of HMAC with this key, as the ledger has them. */
function padsOf(key: Buffer): string {
  const padded = Buffer.concat([key, Buffer.alloc(64 - key.length)])
  return [0x36, 0x5c].map((pad) => Buffer.from(padded.map((byte) => byte ^ pad)).toString('hex')).join('')
}

const key = Buffer.from('the key of these tests, 32 bytes')
const shares = [100_000, 250_000, 333_333, 500_000, 900_000]

function anExperiment(at: number, overrides: Partial<Experiment> = {}): Experiment {
  const percentage = shares[at % shares.length]!
  return {
    ...{ experimentId: `experiment-${at}`, name: 'x', from: 0, until: 1_000, metric: 'net' },
    arms: [
      { armId: 'holdout', percentage, benefitIds: [] },
      { armId: 'open', percentage: 1_000_000 - percentage, benefitIds: ['beer'] },
    ],
    ...overrides,
  }
}

const membersMax = 100_000
const members = Array.from({ length: membersMax }, (_, at) => `member-${at}`)

/** The sum of (seen - due)^2 / due. */
function chiSquare(seen: readonly number[], due: readonly number[]): number {
  return seen.reduce((sum, count, at) => sum + (count - due[at]!) ** 2 / due[at]!, 0)
}

/** Above it, 1 of 1,000,000 sound splits has its chi-square with one degree of freedom. */
const tooUneven = 23.9

t.test('members are split as published, independently in every experiment', (t) => {
  const experiments = Array.from({ length: 10 }, (_, at) => anExperiment(at))
  const arms = createArms(experiments, padsOf(key))
  const held = members.map((member) => {
    const own = arms.of(member)!
    return experiments.map(({ experimentId }) => own[experimentId] === 'holdout')
  })
  const shareOf = (at: number) => shares[at % shares.length]! / 1_000_000
  for (const at of experiments.keys()) {
    const count = held.filter((own) => own[at]).length
    const due = [membersMax * shareOf(at), membersMax * (1 - shareOf(at))]
    t.ok(chiSquare([count, membersMax - count], due) < tooUneven, `${count} of experiment ${at}`)
    for (let other = 0; other < at; other += 1) {
      const seen = [0, 0, 0, 0]
      for (const own of held) seen[(own[at] ? 2 : 0) + (own[other] ? 1 : 0)]! += 1
      const parts = [1 - shareOf(at), shareOf(at)]
      const both = parts.flatMap((part) => [part * (1 - shareOf(other)), part * shareOf(other)])
      t.ok(
        chiSquare(
          seen,
          both.map((part) => part * membersMax),
        ) < 30.7,
        `${at} and ${other}`,
      )
    }
  }
  t.end()
})

t.test('an arm is by HMAC-SHA-256 of experiment and member, and by nothing else', (t) => {
  const experiment = anExperiment(3)
  const arms = createArms([experiment], padsOf(key))
  for (const member of members.slice(0, 200)) {
    const digest = createHmac('sha256', key).update(`experiment experiment-3\n${member}`).digest()
    const isHeld = digest.readUIntBE(0, 6) < 2 ** 48 / 2
    t.equal(arms.of(member)!['experiment-3'], isHeld ? 'holdout' : 'open')
  }
  const later = createArms([anExperiment(0), experiment, anExperiment(1)], padsOf(key))
  const sample = members.slice(0, 1_000)
  const own = sample.map((member) => arms.of(member)!['experiment-3'])
  t.same(
    sample.map((member) => later.of(member)!['experiment-3']),
    own,
    'with other experiments, and after a restart',
  )
  const other = createArms([experiment], padsOf(randomBytes(32)))
  t.not(sample.map((member) => other.of(member)!['experiment-3']).join(), own.join(), 'not with another key')
  t.end()
})

t.test('every place has an arm', (t) => {
  const thirds = [333_333, 333_333, 333_334].map((percentage, at) => {
    return { armId: String(at), percentage, benefitIds: ['beer'] }
  })
  const arms = createArms([anExperiment(0, { arms: thirds })], padsOf(key))
  t.equal(new Set(members.slice(0, 1_000).map((member) => arms.of(member)!['experiment-0'])).size, 3)
  t.end()
})

t.test('a member of a global holdout has no benefit, and is in no other experiment', (t) => {
  const global = anExperiment(0, {
    ...{ experimentId: 'global-holdout-10', from: null, until: null },
    arms: [
      { armId: 'holdout', percentage: 100_000, benefitIds: [] },
      { armId: 'open', percentage: 900_000, benefitIds: null },
    ],
  })
  // Its id is a name that every object has.
  const cakes = anExperiment(0, {
    experimentId: 'constructor',
    arms: anExperiment(0).arms.map((arm) => ({ ...arm, benefitIds: arm.benefitIds!.map(() => 'cake') })),
  })
  const arms = createArms([anExperiment(3), cakes, global], padsOf(key))
  const some = members.slice(0, 2_000)
  const held = some.filter((member) => arms.of(member)!['global-holdout-10'] === 'holdout')
  for (const member of held) {
    t.same(Object.keys(arms.of(member)!), ['global-holdout-10'])
    for (const benefitId of ['any', 'cake']) t.ok(arms.withheld(member, 500)(benefitId))
  }
  const open = some.filter((member) => arms.of(member)!['experiment-3'] === 'open')
  t.ok(open.every((member) => !arms.withheld(member, 500)('beer') && !arms.withheld(member, 500)('any')))
  const without = some.filter((member) => arms.of(member)!['experiment-3'] === 'holdout')
  t.ok(without.every((member) => arms.withheld(member, 500)('beer') && !arms.withheld(member, 500)('any')))
  t.notOk(arms.withheld(without[0]!, 1_000)('beer'), 'not after its end')
  t.equal(createArms([], padsOf(key)).of('anna'), undefined)
  t.equal(createArms([anExperiment(0)], null).of('anna'), undefined)
  t.end()
})
