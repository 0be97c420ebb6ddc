import type { Test } from 'tap'
import type { LedgerOptions } from '../../store/postgres/connection/options.js'
import type { Sql } from '../../store/postgres/connection/sql.js'
import { plenty, type Subject } from '../support/ledger-builders.js'
import { createLedger } from '../support/open-ledger.js'
import { recount } from './ledger-checker.js'
import { answerPromises } from './ledger-contract-answers.js'
import { saleClaimPromises, saleMovePromises } from './ledger-contract-claims.js'
import { earningPromises } from './ledger-contract-earning.js'
import { eventPromises } from './ledger-contract-events.js'
import { expiryPromises } from './ledger-contract-expiry.js'
import { consolePromises, gatewayPromises, processPromises } from './ledger-contract-gateways.js'
import { currencyPromises, limitPromises } from './ledger-contract-limits.js'
import { memberPromises } from './ledger-contract-members.js'
import { forgettingMergedPromises, mergedIdPromises, mergedSalePromises } from './ledger-contract-merged.js'
import { mergingPromises } from './ledger-contract-merging.js'
import { programmePromises } from './ledger-contract-programmes.js'
import { proposalPromises, scheduledPromises } from './ledger-contract-proposals.js'
import { racePromises } from './ledger-contract-races.js'
import { reportPromises } from './ledger-contract-reports.js'
import { forgottenReturnPromises, returnPromises } from './ledger-contract-returns.js'
import { rewardPromises } from './ledger-contract-rewards.js'
import { salePromises } from './ledger-contract-sales.js'
import { forgottenSpendingPromises, spendingPromises } from './ledger-contract-spending.js'
import { tierPromises } from './ledger-contract-tiers.js'
import { transactionPromises } from './ledger-contract-transactions.js'
import { valuePromises } from './ledger-contract-value.js'
import { watchingPromises } from './ledger-contract-watching.js'

const options: LedgerOptions = { expiryS: 1_800, idempotencyS: 86_400, readMs: plenty, saleMs: plenty }

/** Every promise of the interface `Ledger`, against an empty database; then a recount of everything the tests left behind. */
export async function ledgerContract(t: Test, database: Sql): Promise<void> {
  const shared: Sql = { ...database, close: async () => {} }
  const ledger = await createLedger(shared, options)
  const hasty = await createLedger(shared, { ...options, expiryS: 1, idempotencyS: 1 })
  t.teardown(async () => {
    await ledger.close()
    await hasty.close()
    await database.close()
  })
  const subject: Subject = { ledger, hasty, database }
  await t.test('programme, venues, members', (t) => programmePromises(t, subject))
  await t.test('proposals', (t) => proposalPromises(t, subject))
  await t.test('scheduled proposals', (t) => scheduledPromises(t, subject))
  await t.test('answers', (t) => answerPromises(t, subject))
  await t.test('limits', (t) => limitPromises(t, subject))
  await t.test('currencies of limits', (t) => currencyPromises(t, subject))
  await t.test('expiry', (t) => expiryPromises(t, subject))
  await t.test('sales', (t) => salePromises(t, subject))
  await t.test('transactions', (t) => transactionPromises(t, subject))
  await t.test('earning', (t) => earningPromises(t, subject))
  await t.test('gateways', (t) => gatewayPromises(t, subject))
  await t.test('processes', (t) => processPromises(t, subject))
  await t.test('member value', (t) => valuePromises(t, subject))
  await t.test('spending', (t) => spendingPromises(t, subject))
  await t.test('rewards', (t) => rewardPromises(t, subject))
  await t.test('tiers', (t) => tierPromises(t, subject))
  await t.test('returns', (t) => returnPromises(t, subject))
  await t.test('merged members', (t) => mergingPromises(t, subject))
  await t.test('sales of merged members', (t) => mergedSalePromises(t, subject))
  await t.test('ids of merged members', (t) => mergedIdPromises(t, subject))
  await t.test('claimed sales', (t) => saleClaimPromises(t, subject))
  await t.test('moved sales', (t) => saleMovePromises(t, subject))
  await t.test('events', (t) => eventPromises(t, subject))
  await t.test('reports', (t) => reportPromises(t, subject))
  await t.test('watching', (t) => watchingPromises(t, subject))
  await t.test('the console', (t) => consolePromises(t, ledger.consoleSessions, hasty.consoleSessions))
  await t.test('races', (t) => racePromises(t, subject))
  await t.test('a full recount of the tables finds no contradiction', async (t) => {
    t.same(await recount(database), [])
  })
  await t.test('members, enrolled and forgotten', (t) => memberPromises(t, subject))
  await t.test('spending of forgotten members', (t) => forgottenSpendingPromises(t, subject))
  await t.test('returns of forgotten members', (t) => forgottenReturnPromises(t, subject))
  await t.test('merged members, forgotten', (t) => forgettingMergedPromises(t, subject))
  await t.test('after that nothing but bodies is gone', async (t) => {
    t.same(
      (await recount(database)).filter((fault) => !fault.endsWith('has no body')),
      [],
    )
  })
}
