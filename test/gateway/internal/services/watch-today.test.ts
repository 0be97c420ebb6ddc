import t from 'tap'
import type { BenefitSum } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { createTodayWatch, type TodayParts } from '../../../../gateway/internal/services/watch-today.js'

t.test('the ten largest benefits of each currency and the others add up to all of them', async (t) => {
  const rows = Array.from({ length: 25 }, (_, at) => ({
    ...{ benefitId: `b-${at}`, venueId: '', day: '', currency: at < 13 ? 'NOK' : 'EUR' },
    ...{ calculations: 2, redemptions: 1, discount: at, paid: 10 * at },
  }))
  const reports = {
    readBenefits: async () => rows,
    readSales: async () => [],
    countDiscrepancies: async () => ({ sales: 0, kinds: [] }),
  }
  const facts = { programmeVersion: 1, limits: new Map() }
  const parts = { adminLedger: { reports, clock: () => 0 }, facts } as unknown as TodayParts
  const end = new AbortController()
  const { value } = await createTodayWatch(parts)({ venueId: '' } as never, end.signal).next()
  end.abort()
  const discounts = value.benefits.filter((row: BenefitSum) => row.currency === 'NOK')
  t.same(
    discounts.map((row: BenefitSum) => row.discount),
    [12n, 11n, 10n, 9n, 8n, 7n, 6n, 5n, 4n, 3n],
  )
  t.match(value.otherBenefits, [
    { benefitId: '', currency: 'EUR', calculations: 4n, redemptions: 2n, discount: 27n, paid: 270n },
    { benefitId: '', currency: 'NOK', calculations: 6n, redemptions: 3n, discount: 3n, paid: 30n },
  ])
  t.same(value.otherVenues, [])
})
