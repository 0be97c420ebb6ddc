import { useMemo } from 'react'
import type { Basket } from '../../../../gateway/gen/loyalty/v1/basket_pb.js'
import type { SimulateBasketResponse } from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationStatus, LimitCounts, UnchangedReason } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { namesOf } from '../../api/programme.js'
import { useVenueZone } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { Part } from '../../parts/detail.js'
import { wordOf } from '../../parts/enum-word.js'
import { type Receipt, readRequest } from '../calculations/read-basket.js'
import {
  benefitName,
  moneyText,
  type ReasonContext,
  reasonText,
  restrictionsText,
  valueText,
} from '../calculations/reasons.js'
import { Receipts } from '../calculations/receipts.js'
import type { Body } from './build-basket.js'
import styles from './programme.module.css'

interface TriedProps {
  readonly answer: SimulateBasketResponse
  readonly bodyJson: string
  readonly sent: Body
  /** The document that priced it. */
  readonly draft: string
}

/** Both receipts of a basket that was tried, and what became of every benefit of the draft. */
export function Tried({ answer, bodyJson, sent, draft }: TriedProps) {
  const t = useWords()
  const names = useMemo(() => namesOf(draft), [draft])
  const before = readRequest(bodyJson)!
  const after = answer.basket === undefined ? before : receiptOf(answer.basket)
  const context = {
    ...{ t, names, currency: sent.currency },
    products: before.lines.map(({ productId }) => productId),
    zone: useVenueZone(sent.context.venueId),
  }
  const word =
    answer.status === CalculationStatus.UNCHANGED
      ? `${t('status.unchanged')}: ${wordOf(t, 'unchanged', UnchangedReason, answer.reason)}`
      : wordOf(t, 'status', CalculationStatus, answer.status)
  const proof = answer.optimal
    ? t('calculation.optimal')
    : t('calculation.gap', { gap: moneyText(context, answer.gap) })
  return (
    <>
      <p role="status">
        <strong>{word}</strong>, {proof}
      </p>
      <Receipts before={before} after={after} currency={sent.currency} venueId={sent.context.venueId} />
      <Reasons answer={answer} context={context} />
      <Taken answer={answer} context={context} />
    </>
  )
}

interface ReasonsProps {
  readonly answer: SimulateBasketResponse
  readonly context: ReasonContext
}

function Reasons({ answer, context }: ReasonsProps) {
  const { t, names } = context
  const reported = new Set(answer.explanation.map(({ benefitId }) => benefitId))
  const closed = [...names.benefits.values()].filter(({ benefitId }) => !reported.has(benefitId))
  if (answer.status === CalculationStatus.MEMBER_NOT_FOUND) return <p>{t('why.noMember')}</p>
  return (
    <Part level={2} title={t('try.benefits')}>
      <ul className={styles['reasons']}>
        {answer.explanation.map(({ benefitId, value, dropped }) => (
          <li key={benefitId}>
            <strong>{benefitName(context, benefitId)}</strong>
            {dropped === undefined ? (
              <span className="gained">{moneyText(context, -value)}</span>
            ) : (
              <span>{reasonText(context, dropped)}</span>
            )}
          </li>
        ))}
        {closed.map((benefit) => (
          <li key={benefit.benefitId}>
            <span>{benefit.text}</span>
            <span className="muted">
              {t('try.notOpen', { why: restrictionsText(context, benefit).join('; ') || t('try.notOpenToMember') })}
            </span>
          </li>
        ))}
      </ul>
    </Part>
  )
}

/** What it would take of limits and of the member, and what its sale would count. */
function Taken({ answer, context }: ReasonsProps) {
  const { t } = context
  const { wants, spending, earning } = answer
  if (wants.length + spending.length + earning.length === 0) return null
  return (
    <Part level={2} title={t('why.value')}>
      <ul className={styles['reasons']}>
        {wants.map(({ limitId, subject, period, units, counts }) => (
          <li key={`${limitId}/${subject}/${period}`}>
            <strong>{limitId}</strong>
            <span>
              {t('try.takes', { units: counts === LimitCounts.AMOUNT ? moneyText(context, units) : String(units) })}
            </span>
          </li>
        ))}
        {spending.map(({ benefitId, currencyId, amount, times }) => (
          <li key={`${benefitId}/${currencyId}`}>
            <strong>{benefitName(context, benefitId)}</strong>
            <span>{t('try.costs', { value: valueText(context, currencyId, amount * times) })}</span>
          </li>
        ))}
        {earning.map(({ ruleId, factor }) => (
          <li key={ruleId}>
            <strong>{ruleId}</strong>
            <span>{t('why.notEarned', { factor })}</span>
          </li>
        ))}
      </ul>
    </Part>
  )
}

/** A basket of the typed contract as a receipt prints it. */
function receiptOf({ lines, orderDiscounts, totals }: Basket): Receipt {
  return {
    lines: lines.map((line) => ({
      lineId: line.lineId,
      productId: line.productId,
      quantity: Number(line.quantityThousandths) / 1_000,
      gross: Number(line.totals?.gross ?? 0n),
      discounts: line.discounts.map(discountOf),
      orderDiscount: Number(line.totals?.orderDiscount ?? 0n),
      splitFrom: line.splitFromLineId ?? null,
      isAdded: line.addedByLoyalty ?? false,
    })),
    orderDiscounts: orderDiscounts.flatMap(({ discount }) => (discount === undefined ? [] : [discountOf(discount)])),
    net: Number(totals?.net ?? 0n),
  }
}

type Discount = Basket['lines'][number]['discounts'][number]

function discountOf({ text, campaign, lineDiscountCode, amount }: Discount) {
  return { text: text ?? campaign ?? lineDiscountCode ?? '', amount: Number(amount) }
}
