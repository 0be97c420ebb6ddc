import { useQuery } from '@connectrpc/connect-query'
import {
  type FavouriteProduct,
  type SpentSum,
  TimelineService,
} from '../../../../gateway/gen/loyalty/v1/timeline_service_pb.js'
import { memberRef } from '../../api/programme.js'
import { useProductNames, useVenueNames } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { Facts } from '../../parts/page.js'
import { Waiting } from '../../parts/states.js'
import { Money, Time } from '../../parts/values.js'

/** Where and what a member buys, and what it spent and saved in all. */
export function Habits({ memberId }: { readonly memberId: string }) {
  const t = useWords()
  const venueName = useVenueNames()
  const query = useQuery(TimelineService.method.getHabits, { member: memberRef(memberId) })
  if (!query.isSuccess) return <Waiting query={query} lines={3} />
  const { sums, since, venues, products } = query.data
  if (since === undefined) return <p className="muted">{t('habits.none')}</p>
  return (
    <Facts
      facts={[
        [t('habits.spent'), moneyIn(sums, ({ paid }) => paid)],
        [t('habits.saved'), moneyIn(sums, ({ given }) => given)],
        [t('habits.refunded'), moneyIn(sums, ({ refunded }) => refunded)],
        [t('habits.since'), <Time key="since" at={since} show="day" />],
        [
          t('habits.venues'),
          venues.map(({ venueId, sales }) => <Counted key={venueId} name={venueName(venueId)} count={sales} />),
        ],
        [
          t('habits.products'),
          products.length === 0
            ? undefined
            : products.map((product) => <CountedProduct key={product.productId} product={product} />),
        ],
      ]}
    />
  )
}

function moneyIn(sums: readonly SpentSum[], minorOf: (sum: SpentSum) => bigint) {
  const shown = sums.filter((sum) => minorOf(sum) !== 0n)
  if (shown.length === 0) return undefined
  return shown.map((sum) => (
    <div key={sum.currency}>
      <Money minor={minorOf(sum)} currency={sum.currency} withCurrency />
    </div>
  ))
}

function CountedProduct({ product: { productId, venueId, baskets } }: { readonly product: FavouriteProduct }) {
  return <Counted name={useProductNames(venueId)(productId)} count={baskets} />
}

function Counted({ name, count }: { readonly name: string; readonly count: number | bigint }) {
  return <div>{useWords()('habits.counted', { name, count })}</div>
}
