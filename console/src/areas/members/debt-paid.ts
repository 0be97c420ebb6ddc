import type { Account } from '../../../../gateway/gen/loyalty/v1/value_service_pb.js'

/** What a credit pays of an account's debt, before anything becomes available. */
export function debtPaid(account: Pick<Account, 'debt'> | undefined, credit: bigint): bigint {
  const debt = account?.debt ?? 0n
  return credit < 0n ? 0n : credit < debt ? credit : debt
}
