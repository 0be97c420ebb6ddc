import { timestampNow } from '@bufbuild/protobuf/wkt'
import { useQuery } from '@connectrpc/connect-query'
import { useState } from 'react'
import {
  type LadderLine,
  type QuoteReturnResponse,
  type ReturnedValue,
  ReturnService,
} from '../../../../gateway/gen/loyalty/v1/return_service_pb.js'
import type { Sale } from '../../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { preview, useCommands } from '../../api/use-commands.js'
import { useWords, type Words } from '../../i18n/words.js'
import { AuditRecord } from '../../parts/audit-record.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Money } from '../../parts/money.js'
import { useDraft } from '../../parts/use-draft.js'
import { moneyText, valueText } from '../calculations/reasons.js'
import { readScaled, typedScaled } from '../members/read-scaled.js'
import { quantityText } from './ladder.js'
import styles from './sales.module.css'
import { useLineNames } from './use-line-names.js'

const quantityScale = 3

/** Returns lines of a sale; a quote says before what is refunded and which value moves. */
export function ReturnDialog({ sale, onClose }: { readonly sale: Sale; readonly onClose: () => void }) {
  const t = useWords()
  const { returns, changed } = useCommands()
  const { calculationId, currency } = sale
  const nameOf = useLineNames(calculationId, sale.venueId)
  const ladder = useQuery(ReturnService.method.getLadder, { calculationId }, { staleTime: 0 })
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [reference, setReference, forget] = useDraft(`return/${calculationId}/reference`, '')
  const lines = Object.entries(typed)
    .map(([lineId, text]) => ({ lineId, quantityThousandths: readScaled(text || '0', quantityScale) }))
    .filter(({ quantityThousandths }) => quantityThousandths !== 0n)
  const isReadable = lines.length > 0 && lines.every(({ quantityThousandths }) => (quantityThousandths ?? 0n) > 0n)
  const wanted = lines.map(({ lineId, quantityThousandths }) => ({
    lineId,
    quantityThousandths: quantityThousandths ?? 0n,
  }))
  const quote = useQuery(
    ReturnService.method.quoteReturn,
    { calculationId, lines: wanted },
    { ...preview, enabled: isReadable },
  )
  return (
    <CommandDialog
      title={t('return.title')}
      verb={t('return.do')}
      draftKey={`return/${calculationId}`}
      isReady={isReadable && quote.isSuccess && reference.trim() !== ''}
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        const answer = await returns.recordReturn({
          requestId,
          calculationId,
          lines: wanted,
          occurredAt: timestampNow(),
          reference: reference.trim(),
          reason,
        })
        forget()
        await changed()
        return (
          <>
            <Moved answer={answer} currency={currency} />
            <AuditRecord requestId={requestId} />
          </>
        )
      }}
    >
      {ladder.isError && <ErrorPanel cause={ladder.error} />}
      <Quantities nameOf={nameOf} lines={ladder.data?.lines ?? []} typed={typed} onTyped={setTyped} />
      <button type="button" onClick={() => setTyped(allOf(ladder.data?.lines ?? []))}>
        {t('return.all')}
      </button>
      <label>
        {t('return.reference')}
        <input value={reference} onChange={(event) => setReference(event.target.value)} maxLength={64} required />
      </label>
      {isReadable && quote.isError && <ErrorPanel cause={quote.error} />}
      {isReadable && quote.isSuccess && <Moved answer={quote.data} currency={currency} />}
    </CommandDialog>
  )
}

/** What is left of every line, as it would be typed. */
function allOf(lines: readonly LadderLine[]): Readonly<Record<string, string>> {
  const left = lines.map(({ lineId, quantityThousandths, returnedThousandths }) => {
    const thousandths = quantityThousandths - returnedThousandths
    return [lineId, typedScaled(thousandths, quantityScale)] as const
  })
  return Object.fromEntries(left.filter(([, quantity]) => quantity !== '0'))
}

interface QuantitiesProps {
  readonly lines: readonly LadderLine[]
  readonly nameOf: (lineId: string) => string
  /** What is typed, by line. */
  readonly typed: Readonly<Record<string, string>>
  readonly onTyped: (typed: Readonly<Record<string, string>>) => void
}

/** How much of each line is left to return, and how much is returned now. */
function Quantities({ lines, nameOf, typed, onTyped }: QuantitiesProps) {
  const t = useWords()
  return (
    <table className={styles['lines']}>
      <thead>
        <tr>
          <th scope="col">{t('ladder.line')}</th>
          <th scope="col" className="number">
            {t('return.left')}
          </th>
          <th scope="col">{t('return.quantity')}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ lineId, quantityThousandths, returnedThousandths }) => (
          <tr key={lineId}>
            <td>{nameOf(lineId)}</td>
            <td className="number">{quantityText(quantityThousandths - returnedThousandths, t.locale)}</td>
            <td>
              <input
                inputMode="decimal"
                aria-label={t('return.quantityOf', { line: nameOf(lineId) })}
                value={typed[lineId] ?? ''}
                onChange={(event) => onTyped({ ...typed, [lineId]: event.target.value })}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** What would be refunded if the basket that is kept were priced anew, and what the difference means. */
function keptText(
  t: Words,
  { refund, keptBasketRefund }: Pick<QuoteReturnResponse, 'refund' | 'keptBasketRefund'>,
  currency: string,
): string {
  if (keptBasketRefund === undefined) return t('return.keptUnknown')
  const money = (minor: bigint) => moneyText({ t, currency }, minor)
  if (keptBasketRefund === refund) return t('return.keptSame')
  const kept = money(keptBasketRefund)
  if (keptBasketRefund > refund) return t('return.keptMore', { kept, difference: money(keptBasketRefund - refund) })
  return t('return.keptLess', { kept, difference: money(refund - keptBasketRefund) })
}

interface MovedProps {
  readonly answer: Pick<QuoteReturnResponse, 'refund' | 'keptBasketRefund' | 'takenBack' | 'givenBack'>
  readonly currency: string
}

/** What a return does, or did, in numbers. */
function Moved({ answer, currency }: MovedProps) {
  const t = useWords()
  const names = useProgrammeNames(0)
  const { refund, keptBasketRefund, takenBack, givenBack } = answer
  const text = ({ currencyId, amount, debt, forgiven }: ReturnedValue) =>
    [
      valueText({ t, names }, currencyId, amount),
      ...(debt > 0n ? [t('return.debt', { amount: valueText({ t, names }, currencyId, debt) })] : []),
      ...(forgiven > 0n ? [t('return.forgiven', { amount: valueText({ t, names }, currencyId, forgiven) })] : []),
    ].join('; ')
  return (
    <div className={styles['change']} role="status">
      <p>
        <strong>
          {t('return.refund')} <Money minor={refund} currency={currency} withCurrency />
        </strong>{' '}
        {t('return.refundWhat')}
      </p>
      <p className="muted">{keptText(t, { refund, keptBasketRefund }, currency)}</p>
      {takenBack.map((value) => (
        <p key={value.currencyId} className="lost">
          {t('return.takenBack', { value: text(value) })}
        </p>
      ))}
      {givenBack.map((value) => (
        <p key={value.currencyId} className="gained">
          {t('return.givenBack', { value: text(value) })}
        </p>
      ))}
    </div>
  )
}
