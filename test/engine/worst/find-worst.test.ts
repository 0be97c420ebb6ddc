import t from 'tap'
import { compileProgramme } from '../../../engine/core/index.js'
import { readProgramme } from '../../../engine/programme/read-programme.js'
import { objectives, pathOf } from '../../../engine/worst/finding.js'
import { sentenceOf } from '../../../engine/worst/sentence.js'
import { Pricer, type Setting, type TrialItem } from '../../../engine/worst/trial.js'
import { sized } from '../../support/sized.js'
import { isFound, searchedWithin, trapped } from './searched.js'
import { cleanShop, diceOf, inEuro, traps } from './traps.js'

// A search takes seconds on a busy machine.
t.setTimeout(300_000)

const programmes = sized(2, 100)
const searched = (document: unknown, stepsMax = sized(8_000, 20_000)) => searchedWithin(document, stepsMax)
const products = 6
const linesMax = 4
const quantityMax = 3

const measured = new Set<string>()

for (const name of Object.keys(traps)) {
  t.test(`${name}: found, with its reason`, (t) => {
    for (let seed = 1; seed <= sized(1, 20); seed += 1) {
      const one = trapped(name, seed)
      const report = searched(one.document)
      t.ok(isFound(name, one, report), `seed ${seed}`)
      for (const { objective } of report.findings) measured.add(objective)
    }
    t.end()
  })
}

t.test('a search gives the same report again', (t) => {
  const { document } = trapped('free with a bag', 7)
  t.same(searched(document), searched(document))
  t.end()
})

t.test('a change that closes a finding is offered, and was priced', (t) => {
  const midnight = searched(trapped("a night's limit at midnight", 1).document)
  t.same(remediesOf(midnight, 'limit_new_at_midnight'), [
    [{ list: 'venues', id: 'oslo', field: 'dayStartsAt', value: '05:00' }],
  ])
  const bag = searched(trapped('free with a bag', 1).document)
  t.match(remediesOf(bag, 'excluded_goods_count'), [
    [{ id: 'trap', field: 'conditions.requires[0].select.includeNoDiscount', value: undefined }],
  ])
  const birthday = remediesOf(searched(trapped('a birthday each day', 1).document), 'again_each_day')
  t.match(birthday, [[{ field: 'limits', value: [{ period: 'birthday', maximum: 1 }] }]])
  t.end()
})

function remediesOf({ findings }: ReturnType<typeof searched>, reason: string) {
  return findings.find((finding) => finding.reason === reason)!.remedies
}

t.test('nothing can be left out of a receipt, and a sentence says what it is', (t) => {
  const { findings } = searched(trapped('free with a bag', 1).document)
  const worst = findings.find(({ reason }) => reason === 'excluded_goods_count')!
  t.equal(worst.trial.items.length, 2)
  t.same(
    worst.trial.items.map(({ quantity }) => quantity),
    [1_000, 1_000],
  )
  t.match(sentenceOf(worst), /^1 gear \d+, 1 Carrier bag: [\d,.]+ NOK off, by trap: goods without discounts count/)
  t.end()
})

t.test('a guard that no benefit can reach is proven, and one within its bound', (t) => {
  const shop = cleanShop(diceOf(5))
  const tea = {
    benefitId: 'tea',
    text: 'Tea',
    reward: { kind: 'line_percentage', percentage: 10, select: group('tea') },
  }
  const order = { ...tea, benefitId: 'half', combination: 'stackable' }
  const guards = [
    { guardId: 'gear', select: group('gear'), never: 'discounted' },
    { guardId: 'tea', select: group('tea'), atMostPercentage: 19 },
    { guardId: 'too-much', select: group('tea'), atMostPercentage: 18 },
  ]
  const { proofs, findings } = searched({ ...shop, benefits: [tea, order], guards })
  t.same(proofs, [
    { guardId: 'gear', by: 'not_selected', atMost: 0 },
    { guardId: 'tea', by: 'bounded', atMost: 190_000 },
  ])
  t.match(
    findings.filter(({ guardId }) => guardId !== null),
    [{ guardId: 'too-much', benefitIds: ['half', 'tea'] }],
  )
  t.end()
})

function group(productGroupId: string) {
  return { productGroupIds: [productGroupId] }
}

t.test('ids of every form are named, a budget holds, and an exception or group that is there stays', (t) => {
  const odd = 'a.b"[0]'
  const shop = cleanShop(diceOf(5))
  const gear = { text: 'Gear', reward: { kind: 'line_percentage', percentage: 40, select: group('gear') } }
  const guards = [{ guardId: 'gear', select: group('gear'), never: 'discounted' }]
  const { findings } = searched({ ...shop, benefits: [{ ...gear, benefitId: odd }], guards })
  const amount = findings.find(({ objective }) => objective === 'largest_amount')!
  t.equal(pathOf(amount.remedies[0]![0]!), `benefits[${JSON.stringify(odd)}].reward.maximumAmount`)

  const many = {
    benefitId: 'many',
    text: 'Many',
    conditions: { requires: [{ select: group('gear'), quantity: 1_000_000 }] },
  }
  const few = searched({ ...shop, benefits: [{ ...many, reward: { kind: 'order_percentage', percentage: 20 } }] }, 100)
  t.ok(few.searched.steps < 300, String(few.searched.steps))

  const pair = ['a', 'b'].map((benefitId) => ({ ...gear, benefitId, combination: 'stackable', group: benefitId }))
  const grouped = searched({ ...shop, benefits: pair }).findings.flatMap(({ remedies }) => remedies.flat())
  t.notOk(grouped.some(({ field }) => field === 'group'))

  const except = { ...group('gear'), not: { fullPrice: true } }
  const reward = { kind: 'line_percentage', percentage: 20, select: except }
  const exception = searched({ ...shop, benefits: [{ benefitId: 'x', text: 'X', reward }], guards })
  t.same(exception.proofs, [])
  t.same(
    exception.findings.filter(({ guardId, remedies }) => guardId !== null && remedies.length > 0),
    [],
  )
  t.end()
})

t.test('lines below others, weights around a tier, and the day that clocks change are searched', (t) => {
  const shop = cleanShop(diceOf(5))
  const guards = [{ guardId: 'cards', select: group('gift-cards'), atMostPercentage: 5 }]
  const combo = { benefitId: 'combo', text: 'Combo', reward: ofCoffee({ children: true }, 100) }
  const below = searched({ ...withCards(shop), benefits: [combo], guards }).findings
  const broken = below.find(({ guardId }) => guardId === 'cards')!
  t.match(broken.trial.items, [{ below: { productId: 'card' }, quantity: 1_000 }])
  t.match(sentenceOf(broken), /^1 coffee \d+ with Card: .* more off than cards allows, by combo/)

  const weighed = {
    ...{ benefitId: 'weight', text: 'Weight' },
    reward: {
      kind: 'volume_percentage',
      measure: true,
      select: group('tea'),
      tiers: [{ quantity: 1.5, percentage: 40 }],
    },
  }
  const grams = searched({ ...shop, benefits: [weighed] }).findings.find((each) => each.objective === 'paid_for_more')!
  t.match([grams.trial.items, grams.other!.trial.items], [[{ quantity: 1_500 }], [{ quantity: 1_499 }]])
  const pieces = searched({ ...shop, benefits: [weighed, combo] }).findings.flatMap(({ trial }) => trial.items)
  t.ok(pieces.every(({ product, quantity }) => product.weighed || quantity % 1_000 === 0))
  t.ok(pieces.every(({ product, below }) => below === undefined || product.productGroupId === 'coffee'))

  const night = {
    ...{ benefitId: 'night', text: 'Night', reward: ofCoffee({}, 60) },
    schedule: [{ days: ['sun'], from: '02:00', until: '02:30' }],
  }
  const never = {
    ...night,
    benefitId: 'spring',
    validFrom: '2027-03-28T00:00:00+01:00',
    validUntil: '2027-03-29T00:00:00+02:00',
  }
  const autumn = {
    ...never,
    benefitId: 'autumn',
    validFrom: '2027-10-31T00:00:00+02:00',
    validUntil: '2027-11-01T00:00:00+01:00',
  }
  const { findings } = searched({ ...shop, benefits: [never, autumn] })
  t.same(new Set(findings.flatMap(({ benefitIds }) => benefitIds)), new Set(['autumn']))
  t.end()
})

function ofCoffee(select: object, percentage: number) {
  return { kind: 'line_percentage', percentage, select: { ...group('coffee'), ...select } }
}

/** A shop whose gift cards get discounts. */
function withCards(shop: ReturnType<typeof cleanShop>) {
  const [venue] = shop['venues'] as readonly { readonly products: readonly object[] }[]
  const card = { productId: 'card', name: 'Card', unitPrice: 20_000, productGroupId: 'gift-cards' }
  return { ...shop, venues: [{ ...venue, products: [...venue!.products, card] }] }
}

t.test('a month with limits and own value is searched, and what is paid for by half is not reported', (t) => {
  const shop = cleanShop(diceOf(5))
  const stamps = (percentage: number, amount: number) => ({
    ...{ benefitId: 'card', text: 'Card', costs: { currencyId: 'stamps', amount, per: 'unit' } },
    reward: { ...ofCoffee({}, percentage), maximumUnits: 1 },
  })
  const rule = { ruleId: 'stamp', currencyId: 'stamps', give: 1, per: { units: 1 }, select: group('coffee') }
  const months = (benefit: object, earning: readonly object[]) =>
    searched({ ...shop, benefits: [benefit], earning }).findings.filter(({ objective }) => objective === 'too_often')
  t.match(months(stamps(100, 1), [rule]), [
    { score: 15, benefitIds: ['card', 'stamp'], reason: 'earned_pays_for_itself' },
  ])
  t.same(months(stamps(100, 4), [rule]), [], 'the fifth is free')
  const bounded = { ...rule, maximum: { amount: 2, period: 'month' } }
  t.same(months(stamps(100, 1), [bounded]), [], 'two stamps a month')

  const daily = (period: string) => ({
    ...{ benefitId: 'free', text: 'Free', reward: ofCoffee({}, 100) },
    limits: [{ limitId: 'once', scope: 'member', period, counts: 'units', maximum: 1 }],
  })
  t.match(months(daily('day'), []), [{ score: 30, reason: 'again_each_day', remedies: [] }])
  t.same(months(daily('week'), []), [])
  t.end()
})

t.test('value of the member is paid with, in the currency of the venue', (t) => {
  const shop = cleanShop(diceOf(5))
  const rule = { ruleId: 'stamp', currencyId: 'stamps', give: 1, per: { units: 10 }, select: group('coffee') }
  const money = {
    ...{ benefitId: 'money', text: 'Money', costs: { currencyId: 'stamps', amount: 1, per: 'unit' } },
    ...{ venueIds: ['oslo'], reward: { ...ofCoffee({}, 100), maximumUnits: 1 } },
  }
  const { findings } = searched({
    ...shop,
    venues: [...(shop['venues'] as []), inEuro(shop)],
    benefits: [money],
    earning: [rule],
  })
  const found = findings.map(({ objective, trial }) => [objective, trial.setting.venue.currency])
  t.same(found, [], 'neither a receipt for each stamp, nor kroner for cents')
  t.end()
})

t.test('benefits that never meet are no finding together, and units of one price are one line', (t) => {
  const shop = cleanShop(diceOf(5))
  const tea = {
    benefitId: 'tea',
    text: 'Tea',
    reward: { kind: 'line_amount', amount: 500, per: 'unit', select: group('tea') },
  }
  const coffee = { ...tea, benefitId: 'coffee', reward: { ...tea.reward, select: group('coffee') } }
  const { findings } = searched({ ...shop, benefits: [tea, coffee] })
  t.same(new Set(findings.map(({ benefitIds }) => benefitIds.join())), new Set(['tea', 'coffee']))
  t.ok(findings.every(({ trial }) => trial.items.length === 1))
  t.end()
})

t.test('in shops without a trap every finding is as it was priced, and of a plain reason', (t) => {
  const plain = ['as_written', 'benefits_add_up', 'cheaper_with_more', 'cheaper_on_two_receipts', 'no_maximum']
  for (let seed = 1; seed <= programmes; seed++) {
    const shop = cleanShop(diceOf(seed))
    const read = readProgramme(JSON.stringify(shop))
    if (read.kind === 'faulty') throw new Error(JSON.stringify(read.faults))
    const pricer = new Pricer(compileProgramme(read.programme.benefits, read.programme.rules))
    for (const { objective, reason, trial, off, other } of searched(shop).findings) {
      t.ok(plain.includes(reason), `seed ${seed}: ${reason}`)
      const [{ before, paid }, second] = [pricer.price(trial), other === null ? null : pricer.price(other.trial)]
      const both = { ...trial, items: [...trial.items, ...(other?.trial.items ?? [])] }
      const dearer = objective === 'split' ? pricer.price(both).paid - second!.paid : (second?.paid ?? before)
      t.equal(off, dearer - paid, `seed ${seed}: ${objective}`)
    }
  }
  t.end()
})

t.test('each broken guard has a finding of its own', (t) => {
  const shop = cleanShop(diceOf(5))
  const order = { benefitId: 'order', text: 'Order', reward: { kind: 'order_percentage', percentage: 30 } }
  const guards = ['coffee', 'tea', 'gear', 'bread'].flatMap((name) =>
    [1, 2, 3].map((at) => ({ guardId: `${name}-${at}`, select: group(name), atMostPercentage: at })),
  )
  const { findings } = searched({ ...shop, benefits: [...shop.benefits, order], guards })
  const broken = new Set(findings.flatMap(({ guardId }) => guardId ?? []))
  t.same([...broken].sort(), guards.map(({ guardId }) => guardId).sort())
  t.end()
})

t.test('on small catalogues every basket was tried, and none is worse', (t) => {
  let agreed = 0
  for (let seed = 1; seed <= programmes; seed++) {
    const { document, best } = enumerated(seed)
    const { findings } = searched(document)
    const found = (objective: string) => findings.find((each) => each.objective === objective)?.score ?? 0
    const [share, amount, gain] = [found('largest_share'), found('largest_amount'), found('paid_for_more')]
    if (share >= best.share && amount >= best.amount && gain >= best.gain) agreed++
    else t.comment(`seed ${seed}: ${share}, ${amount}, ${gain} of ${JSON.stringify(best)}`)
  }
  t.ok(agreed >= programmes * 0.99, `${agreed} of ${programmes}`)
  t.end()
})

/** A small shop, and by trying every basket its largest share and amount off and the most that one more unit saves. */
function enumerated(seed: number) {
  const dice = diceOf(seed)
  const shop = cleanShop(dice)
  const [venue] = shop['venues'] as readonly { readonly products: readonly object[] }[]
  const document = { ...shop, venues: [{ ...venue, products: venue!.products.slice(0, products) }] }
  const read = readProgramme(JSON.stringify(document))
  if (read.kind === 'faulty') throw new Error(JSON.stringify(read.faults))
  const { programme } = read
  const pricer = new Pricer(compileProgramme(programme.benefits, programme.rules))
  const best = { share: 0, amount: 0, gain: 0 }
  const own = programme.venues[0]!
  for (const requestedAt of [Date.parse('2026-11-23T10:00:00Z'), Date.parse('2026-11-23T15:00:00Z')]) {
    const setting: Setting = {
      ...{ member: { memberId: 'member', tier: null, segments: [] }, venue: own, requestedAt, channel: 'pos' },
    }
    const after = new Map<string, number>()
    for (const counts of countsOf(products)) {
      const items: TrialItem[] = counts.flatMap((count, at) =>
        count === 0 ? [] : [{ product: own.products[at]!, quantity: count * 1_000 }],
      )
      if (items.length === 0 || items.length > linesMax) continue
      const price = pricer.price({ setting, items })
      after.set(counts.join(), price.after)
      best.amount = Math.max(best.amount, price.before - price.after)
      best.share = Math.max(best.share, Math.floor(((price.before - price.after) / price.before) * 1_000_000))
      for (const [at, count] of counts.entries()) {
        const fewer = count === 0 ? undefined : after.get(counts.with(at, count - 1).join())
        if (fewer !== undefined) best.gain = Math.max(best.gain, fewer - price.after)
      }
    }
  }
  return { document, best }
}

function* countsOf(places: number): Generator<readonly number[]> {
  if (places === 0) yield []
  else
    for (const rest of countsOf(places - 1)) for (let count = 0; count <= quantityMax; count++) yield [...rest, count]
}

t.test('every objective is measured in shops with traps', (t) => {
  t.same([...measured].sort(), [...objectives].sort())
  t.end()
})
