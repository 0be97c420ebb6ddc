import { useQuery } from '@connectrpc/connect-query'
import type { GetCalculationResponse, RuleCount } from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationState } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { type Account, ValueService } from '../../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { Part } from '../../parts/detail.js'
import { formatScaled } from '../../parts/scaled.js'
import { priceOf } from './price-of.js'
import type { ReasonContext } from './reasons.js'
import styles from './why.module.css'

interface EarningProps {
  readonly calculation: GetCalculationResponse
  readonly context: ReasonContext
}

/** What the sale of a basket earned, or would earn, and how far the member is with it now. */
export function Earning({ calculation, context }: EarningProps) {
  const { t, names } = context
  const { memberId } = calculation.calculation!
  const { data } = useQuery(
    ValueService.method.getBalances,
    { member: { by: { case: 'memberId', value: memberId ?? '' } } },
    { enabled: memberId !== undefined && calculation.earning.length > 0 },
  )
  if (calculation.earning.length === 0) return null
  return (
    <Part title={t('why.earns')}>
      <ul className={styles['reasons']}>
        {calculation.earning.map((count) => (
          <li key={count.ruleId}>
            <span className={styles['name']}>{names.currencies.get(count.currencyId)?.name ?? count.currencyId}</span>
            <span>
              {[
                earnedText(context, count, calculation),
                factorText(context, count),
                progressText(context, count, data?.accounts),
              ]
                .filter((text) => text !== '')
                .join('; ')}
            </span>
          </li>
        ))}
      </ul>
    </Part>
  )
}

function earnedText(
  context: ReasonContext,
  { currencyId, given, wouldEarn }: RuleCount,
  { calculation, earning }: GetCalculationResponse,
): string {
  const { t } = context
  const { state } = calculation!
  const isSold = state === CalculationState.FINALISED || earning.some((count) => count.given !== undefined)
  if (!isSold && state !== CalculationState.OPEN) return t('why.unsold')
  const amount = given ?? wouldEarn
  if (amount === undefined) return t('why.counts')
  const value = amountText(context, currencyId, amount)
  return isSold ? t('why.earned', { value }) : t('why.wouldEarn', { value })
}

/** Empty where a rule counts once. */
export function factorText({ t }: Pick<ReasonContext, 't'>, { factor }: RuleCount): string {
  return factor === '1' ? '' : t('why.factor', { factor })
}

/** Such as `7 of 10 for Your tenth coffee`. */
function progressText(
  context: ReasonContext,
  { currencyId }: RuleCount,
  accounts: readonly Account[] | undefined,
): string {
  const { t, names } = context
  const price = priceOf(names, currencyId)
  if (accounts === undefined) return ''
  const account = accounts.find((each) => each.currencyId === currencyId)
  const shown = (amount: bigint) => amountText(context, currencyId, amount)
  const available = shown(account?.available ?? 0n)
  const pending = account === undefined || account.pending === 0n ? '' : shown(account.pending)
  const has =
    price === null
      ? t('why.has', { available })
      : t('why.hasOf', { available, price: shown(price.amount), buys: price.buys })
  return pending === '' ? has : `${has} (${t('account.pending', { amount: pending })})`
}

function amountText({ t, names }: ReasonContext, currencyId: string, amount: bigint): string {
  return formatScaled(amount, names.currencies.get(currencyId)?.scale ?? 0, t.locale)
}
