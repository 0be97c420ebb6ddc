import type { GetMemberResponse } from '../../../../gateway/gen/loyalty/v1/member_service_pb.js'
import type { Account } from '../../../../gateway/gen/loyalty/v1/value_service_pb.js'
import type { ProgrammeNames } from '../../api/programme.js'
import { formatScaled } from '../../parts/scaled.js'
import { dateOf } from '../../parts/time.js'
import { priceOf } from '../calculations/price-of.js'
import { momentText, type ReasonContext } from '../calculations/reasons.js'

/** More currencies than these are not in the sentence. */
const namedMax = 3

type Context = Pick<ReasonContext, 't' | 'zone'> & { readonly names: ProgrammeNames }

/**
 * What matters of a member, in one sentence: such as `Gold until 31 May; 3 of 9 Coffee stamps; nothing held`.
 *
 * @param accounts  null: not known yet
 */
export function standingText(
  context: Context,
  { standing }: GetMemberResponse,
  accounts: readonly Account[] | null,
): string {
  const { t } = context
  const parts = [tierText(context, standing), t('lead.visits', { count: standing?.visits ?? 0n })]
  if (accounts === null) return parts.join('; ')
  const held = accounts.filter((account) => account.held > 0n)
  const owing = accounts.filter(({ debt }) => debt > 0n)
  return [
    ...parts,
    ...(accounts.length === 0
      ? [t('lead.nothing')]
      : accounts.slice(0, namedMax).map((each) => hasText(context, each))),
    held.length === 0
      ? t('lead.nothingHeld')
      : held.map((each) => t('lead.held', named(context, each, each.held))).join('; '),
    ...owing.map((each) => t('lead.owes', named(context, each, each.debt))),
  ].join('; ')
}

function tierText(context: Context, standing: GetMemberResponse['standing']): string {
  const { t } = context
  const { tier, tierUntil } = standing ?? {}
  if (tier === undefined) return t('lead.noTier')
  const word = tier.slice(0, 1).toLocaleUpperCase(t.locale) + tier.slice(1)
  return tierUntil === undefined ? word : t('lead.tier', { tier: word, until: momentText(context, dateOf(tierUntil)) })
}

/** What the member has, of what the next thing costs, and what is still to open. */
function hasText(context: Context, account: Account): string {
  const { t, names } = context
  const price = priceOf(names, account.currencyId)
  const { amount, currency } = named(context, account, account.available)
  const shown = (size: bigint) => formatScaled(size, account.scale, t.locale)
  const lead = price !== null && account.available >= price.amount ? 'lead.enough' : 'lead.of'
  const has = price === null ? `${amount} ${currency}` : t(lead, { amount, price: shown(price.amount), currency })
  return account.pending > 0n ? `${has} (${t('account.pending', { amount: shown(account.pending) })})` : has
}

function named({ t }: Context, { currencyId, name, scale }: Account, size: bigint) {
  return { amount: formatScaled(size, scale, t.locale), currency: name || currencyId }
}
