import { useInfiniteQuery } from '@connectrpc/connect-query'
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { Environment } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { type Venue, VenueService } from '../../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { moreOf, pageSize, pages } from '../../api/use-pages.js'
import { useWords, type Words } from '../../i18n/words.js'
import { contractWord } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Split } from '../../parts/split.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { type Column, Table } from '../../parts/table.js'

/** Venues by id. */
export function VenueList() {
  const t = useWords()
  const navigate = useNavigate()
  const { venueId } = useParams({ strict: false })
  const query = useInfiniteQuery(VenueService.method.listVenues, { pageSize, pageToken: '' }, pages)
  const rows = query.data?.pages.flatMap(({ venues }) => venues) ?? []
  const list = query.isPending ? (
    <Skeleton lines={12} />
  ) : query.isError ? (
    <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  ) : (
    <Table
      label={t('system.venues')}
      columns={columnsOf(t)}
      rows={rows}
      keyOf={(row) => row.venueId}
      openKey={venueId}
      onOpen={(row) => void navigate({ to: '/system/venues/$venueId', params: { venueId: row.venueId } })}
      {...moreOf(query)}
      empty={<Empty why={t('venues.empty')}>{t('venues.emptyWhat')}</Empty>}
    />
  )
  return <Split title={t('system.venues')} list={list} open={venueId === undefined ? null : <Outlet />} />
}

function columnsOf(t: Words): readonly Column<Venue>[] {
  return [
    {
      key: 'name',
      head: t('venues.name'),
      cell: ({ venueId, name }) => (
        <Link to="/system/venues/$venueId" params={{ venueId }}>
          {name || venueId}
        </Link>
      ),
      value: ({ venueId, name }) => name || venueId,
    },
    { key: 'id', head: t('venues.id'), cell: ({ venueId }) => venueId, value: ({ venueId }) => venueId },
    {
      key: 'environment',
      head: t('system.environment'),
      cell: ({ environment }) => contractWord(Environment, environment),
      value: ({ environment }) => contractWord(Environment, environment),
      isExtra: true,
    },
    {
      key: 'currency',
      head: t('reports.currency'),
      cell: ({ currency }) => currency,
      value: ({ currency }) => currency,
      isExtra: true,
    },
    {
      key: 'zone',
      head: t('venues.zone'),
      cell: ({ timeZone }) => timeZone,
      value: ({ timeZone }) => timeZone,
      isExtra: true,
    },
  ]
}
