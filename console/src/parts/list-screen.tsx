import type { ConnectError } from '@connectrpc/connect'
import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { moreOf } from '../api/use-pages.js'
import { Split } from './page.js'
import type { Column } from './rows.js'
import { Empty, Waiting } from './states.js'
import { Table } from './table.js'

interface ListScreenProps<Row> {
  readonly title: string
  readonly lead?: ReactNode
  readonly query: UseQueryResult<unknown, ConnectError> | UseInfiniteQueryResult<unknown, ConnectError>
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  readonly onOpen?: (row: Row) => void
  readonly openKey?: string | undefined
  readonly empty: readonly [why: string, what?: ReactNode]
  readonly filters?: ReactNode
}

export function ListScreen<Row>({ title, lead, openKey, ...list }: ListScreenProps<Row>) {
  const open = openKey === undefined ? null : <Outlet />
  return <Split title={title} lead={lead} list={<List title={title} openKey={openKey} {...list} />} open={open} />
}

export function List<Row>({ title, query, empty: [why, what], ...table }: Omit<ListScreenProps<Row>, 'lead'>) {
  const more = 'hasNextPage' in query ? moreOf(query) : {}
  const empty = query.isSuccess ? <Empty why={why}>{what}</Empty> : <Waiting query={query} lines={12} />
  return <Table label={title} {...table} {...more} empty={empty} />
}
