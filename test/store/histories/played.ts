import { randomUUID } from 'node:crypto'
import type { Sql } from '../../../store/postgres/connection/sql.js'
import { reconcile } from '../../../store/postgres/counters/reconcile.js'
import type { Ledger } from '../../support/open-ledger.js'
import { createLedger } from '../../support/open-ledger.js'
import { plenty } from '../ledger-builders.js'
import { astrayOf } from '../ledger-checker.js'
import { currencies, exchanges, rules } from './rules.js'

/** A ledger under test. */
export interface Played {
  readonly ledger: Ledger
  readonly database: Sql
}

/** A ledger for histories over an empty database. Closing it closes the database. */
export async function openPlayed(database: Sql): Promise<Played> {
  const options = { expiryS: 1_800, idempotencyS: 86_400, readMs: plenty, saleMs: plenty, recountPauseMs: 86_400_000 }
  const played = { ledger: await createLedger(database, options), database }
  await publishRules(played)
  return played
}

/** Publishes currencies, rules and exchanges of all histories. */
async function publishRules({ ledger }: Played): Promise<void> {
  await ledger.programmes.publishFile({
    document: `{"once":"${randomUUID()}"}`,
    ...{ benefits: '[]', venues: [], members: [], exchanges },
    currencies: currencies.map(({ currencyId }) => ({ currencyId, name: currencyId, scale: 0 })),
    rules: rules.map(({ ruleId, currencyId, give, per, every }) => ({
      ...{ ruleId, currencyId, give, per: per === 'visit' ? { kind: per } : { kind: per, every } },
    })),
  })
}

const writes = { effect: 'writes', withinMs: plenty } as const

/** Reconciles all rows of histories (4-member-value, section 7), and removes them; the differences, in words. */
export async function reconciled({ database }: Played): Promise<readonly string[]> {
  const found = await reconcile(database, { since: '2000-01-01', until: null }, () => {})
  const { differences, reservationsAstray } = found
  for (const table of emptied) await database.run({ text: `delete from ${table}`, values: [] }, writes)
  const counters = differences + reservationsAstray
  return [...astrayOf(found), ...(counters === 0 ? [] : [`${counters} counters or reservations are astray`])]
}

/** Tables that grow with histories. */
const emptied = [
  ...['lot', 'account', 'entry', 'movement', 'activation', 'activation_part', 'reward_code', 'wrong_code'],
  ...['value_hold', 'value_hold_part', 'sale_ladder', 'sale_return'],
  ...[
    'earned',
    'earned_total',
    'sale',
    'calculation',
    'calculation_body',
    'member_loyalty_id',
    'member',
    'change',
    'audit_record',
  ],
]
