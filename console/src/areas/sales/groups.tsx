import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { useQuery } from '@connectrpc/connect-query'
import { useState } from 'react'
import { Discrepancy, SaleStatus } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { type Sale, SaleService } from '../../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { nowMs } from '../../api/clock.js'
import { useVenueNames } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { TextLink } from '../../parts/controls.js'
import { type Column, Rows } from '../../parts/rows.js'
import { contractWord, enumOf, Time, wordOf } from '../../parts/values.js'
import type { SaleSearch } from '../../search.js'
import styles from './sales.module.css'

const days = 7
/** One call of the service; older ones are not counted. */
const countedMax = 500
const dayMs = 86_400_000
const shownMax = 6
/** A smaller window shows the sentence first, and the table on request. */
const roomy = '(min-width: 800px) and (min-height: 700px)'

export const saleBadge = {
  ...{ group: 'status', values: SaleStatus },
  live: [SaleStatus.APPLIED],
  wrong: [SaleStatus.FAILED],
} as const

/** Sales with one discrepancy at one register. */
interface Group {
  readonly discrepancy: Discrepancy
  readonly venueId: string
  readonly registerId: string
  readonly count: number
  readonly newest: Sale
}

export function Groups({ search }: { readonly search: SaleSearch }) {
  const t = useWords()
  const venueName = useVenueNames()
  const [isRoomy] = useState(() => matchMedia(roomy).matches)
  const [from] = useState(() => timestampFromMs(nowMs() - days * dayMs))
  const { venueId = '', registerId: cashRegisterId = '', discrepancy } = search
  const { data } = useQuery(SaleService.method.listDiscrepancies, {
    ...{ pageSize: countedMax, from, venueId, cashRegisterId },
    discrepancy: enumOf(Discrepancy, discrepancy),
  })
  if (data === undefined || data.sales.length === 0) return null
  const groups = groupsOf(data.sales).filter(
    (group) => discrepancy === 'any' || contractWord(Discrepancy, group.discrepancy) === discrepancy,
  )
  const isAll = data.nextPageToken === ''
  return (
    <details className={styles['groups']} open={isRoomy}>
      <summary>
        {t(isAll ? 'groups.lead' : 'groups.leadMore', { count: data.sales.length, days })}{' '}
        {groups[0] !== undefined && mostText(t, groups[0], venueName)}
      </summary>
      <Rows
        label={t('groups.title')}
        rows={groups.slice(0, shownMax)}
        keyOf={({ discrepancy: kind, venueId: venue, registerId }) => `${kind}/${venue}/${registerId}`}
        columns={columnsOf(t, venueName)}
      />
      {groups.length > shownMax && (
        <p className="muted small">{t('groups.more', { count: groups.length - shownMax })}</p>
      )}
    </details>
  )
}

function groupsOf(sales: readonly Sale[]): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const sale of sales) {
    for (const discrepancy of sale.discrepancies) {
      const key = `${discrepancy}/${sale.venueId}/${sale.cashRegisterId}`
      const { count = 0, newest = sale } = groups.get(key) ?? {}
      const { venueId, cashRegisterId: registerId } = sale
      groups.set(key, { discrepancy, venueId, registerId, count: count + 1, newest })
    }
  }
  return [...groups.values()].toSorted((left, right) => right.count - left.count)
}

function mostText(
  t: Words,
  { discrepancy, venueId, registerId, count }: Group,
  venueName: (id: string) => string,
): string {
  const kind = wordOf(t, 'discrepancy', Discrepancy, discrepancy)
  return t('groups.most', { kind, venue: venueName(venueId), register: registerId, count })
}

function columnsOf(t: Words, venueName: (venueId: string) => string): readonly Column<Group>[] {
  return [
    {
      key: 'kind',
      head: t('sale.discrepancies'),
      cell: ({ discrepancy, venueId, registerId }) => (
        <TextLink
          to="/sales"
          search={{ discrepancy: contractWord(Discrepancy, discrepancy), venueId, registerId }}
          className="lost"
          text={wordOf(t, 'discrepancy', Discrepancy, discrepancy)}
        />
      ),
    },
    { key: 'venue', head: t('sale.venue'), cell: ({ venueId }) => venueName(venueId) },
    { key: 'register', head: t('sale.register'), cell: ({ registerId }) => registerId },
    { key: 'count', head: t('area.sales'), cell: ({ count }) => count, isNumber: true },
    {
      key: 'newest',
      head: t('groups.newest'),
      cell: ({ newest: { calculationId, recordedAt, venueId } }) => (
        <TextLink
          to="/sales/$calculationId"
          params={{ calculationId }}
          search
          text={<Time at={recordedAt} venueId={venueId} />}
        />
      ),
    },
  ]
}
