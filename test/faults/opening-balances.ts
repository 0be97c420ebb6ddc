import { randomUUID } from 'node:crypto'
import { digestOf } from '../store/ledger-builders.js'
import { createPostgresLedger } from '../support/open-ledger.js'

/** First balances of each member, by currency: enough to spend from the first basket on, too little for all of them. */
const openingBalances: Readonly<Record<string, number>> = { stamps: 30, points: 60 }

/** Members of the fault programme, `member-1` and so on. */
const memberCount = 24

/** Gives members value, past the gateways and before any fault. */
export async function importOpening(
  databaseUrl: string,
  balances: Readonly<Record<string, number>> = openingBalances,
): Promise<void> {
  const ledger = await createPostgresLedger({ url: databaseUrl, expiryS: 5, idempotencyS: 86_400, connections: 1 })
  try {
    const reply = await ledger.value.importBalances(
      { requestId: randomUUID(), digest: digestOf('opening'), call: 'ValueService/ImportBalances', actor: 'test' },
      Array.from({ length: memberCount }, (_, at) => `member-${at + 1}`).flatMap((memberId) =>
        Object.entries(balances).map(([currencyId, amount]) => ({
          ...{ member: { memberId }, currencyId, amount, reference: `opening-${memberId}` },
          ...{ opensAt: null, expiresAt: null },
        })),
      ),
    )
    if (reply.kind !== 'done') throw new Error(`opening balances: ${JSON.stringify(reply)}`)
  } finally {
    await ledger.close()
  }
}
