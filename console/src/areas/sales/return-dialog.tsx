import { timestampNow } from '@bufbuild/protobuf/wkt'
import { useQuery } from '@connectrpc/connect-query'
import { useState } from 'react'
import { CalculationService } from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import {
  type LadderLine,
  type QuoteReturnResponse,
  type ReturnedValue,
  ReturnService,
} from '../../../../gateway/gen/loyalty/v1/return_service_pb.js'
import type { Sale } from '../../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { preview } from '../../api/query-client.js'
import { useCommands } from '../../api/use-commands.js'
import { useProductNames } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { Button, Field } from '../../parts/controls.js'
import { moneyColumn, Rows } from '../../parts/rows.js'
import { formatScaled, readScaled, typedScaled } from '../../parts/scaled.js'
import { ErrorPanel, Waiting } from '../../parts/states.js'
import { useDraft } from '../../parts/use-draft.js'
import { Money } from '../../parts/values.js'
import { readAnswer, readRequest } from '../calculations/read-basket.js'
import { moneyText, valueText } from '../calculations/reasons.js'
import styles from './sales.module.css'

const quantityScale = 3

export function ReturnDialog({ sale, onClose }: { readonly sale: Sale; readonly onClose: () => void }) {
  const t = useWords()
  const { returns } = useCommands()
  const { calculationId, currency } = sale
  const nameOf = useLineNames(calculationId, sale.venueId)
  const ladder = useQuery(ReturnService.method.getLadder, { calculationId }, { staleTime: 0 })
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [reference, setReference] = useDraft(`return/${calculationId}/reference`, '')
  const wanted = (ladder.data?.lines ?? [])
    .map((line) => ({
      lineId: line.lineId,
      quantityThousandths: thousandthsOf(line, typed[line.lineId] || '0') ?? -1n,
    }))
    .filter(({ quantityThousandths }) => quantityThousandths !== 0n)
  const isReadable = wanted.length > 0 && wanted.every(({ quantityThousandths }) => quantityThousandths > 0n)
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
        return <Moved answer={answer} currency={currency} />
      }}
    >
      {ladder.isError && <ErrorPanel cause={ladder.error} />}
      <Quantities nameOf={nameOf} lines={ladder.data?.lines ?? []} typed={typed} onTyped={setTyped} />
      <Button onClick={() => setTyped(allOf(ladder.data?.lines ?? []))} text={t('return.all')} />
      <Field label={t('return.reference')} value={reference} maxLength={64} required onText={setReference} />
      {isReadable && quote.isError && <ErrorPanel cause={quote.error} />}
      {isReadable && quote.isSuccess && <Moved answer={quote.data} currency={currency} />}
    </CommandDialog>
  )
}

/** A quantity typed by a person: a measure where the line is weighed, else units. null: no quantity. */
function thousandthsOf({ weighed }: LadderLine, text: string): bigint | null {
  if (weighed) return readScaled(text, quantityScale)
  const units = readScaled(text, 0)
  return units === null ? null : units * 1000n
}

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
  readonly typed: Readonly<Record<string, string>>
  readonly onTyped: (typed: Readonly<Record<string, string>>) => void
}

function Quantities({ lines, nameOf, typed, onTyped }: QuantitiesProps) {
  const t = useWords()
  return (
    <Rows
      label={t('return.quantity')}
      columns={[
        { key: 'line', head: t('ladder.line'), cell: (line) => <LineName line={line} nameOf={nameOf} /> },
        {
          key: 'left',
          head: t('return.left'),
          cell: (line) => quantityText(t.locale, line, line.quantityThousandths - line.returnedThousandths),
          isNumber: true,
        },
        {
          key: 'quantity',
          head: t('return.quantity'),
          cell: ({ lineId, weighed }) => (
            <input
              data-first={lineId === lines[0]?.lineId || undefined}
              className={styles['quantity']}
              inputMode={weighed ? 'decimal' : 'numeric'}
              aria-label={t(weighed ? 'return.measureOf' : 'return.quantityOf', { line: nameOf(lineId) })}
              value={typed[lineId] ?? ''}
              onChange={(event) => onTyped({ ...typed, [lineId]: event.target.value })}
            />
          ),
        },
      ]}
      rows={lines}
      keyOf={({ lineId }) => lineId}
    />
  )
}

interface MovedProps {
  readonly answer: Pick<QuoteReturnResponse, 'refund' | 'asPaidRefund' | 'keptBasketRefund' | 'takenBack' | 'givenBack'>
  readonly currency: string
}

function Moved({ answer, currency }: MovedProps) {
  const t = useWords()
  const { refund, asPaidRefund, keptBasketRefund: kept } = answer
  const money = (minor: bigint) => moneyText({ t, currency }, minor)
  return (
    <div className="box" role="status">
      <p>
        <strong>
          {t('return.refund')} <Money minor={refund} currency={currency} withCurrency />
        </strong>{' '}
        {t('return.refundWhat')}
      </p>
      <p className="muted">
        {t('return.asPaid', { amount: money(asPaidRefund) })}{' '}
        {kept === undefined ? t('return.keptUnknown') : t('return.kept', { amount: money(kept) })}
      </p>
      <ReturnedValues {...answer} />
    </div>
  )
}

/** The value that goes back, a paragraph for each currency. */
export function ReturnedValues({ takenBack, givenBack }: Pick<QuoteReturnResponse, 'takenBack' | 'givenBack'>) {
  const t = useWords()
  const names = useProgrammeNames(0)
  const text = ({ currencyId, amount, debt, forgiven }: ReturnedValue) =>
    [
      valueText({ t, names }, currencyId, amount),
      ...(debt > 0n ? [t('return.debt', { amount: valueText({ t, names }, currencyId, debt) })] : []),
      ...(forgiven > 0n ? [t('return.forgiven', { amount: valueText({ t, names }, currencyId, forgiven) })] : []),
    ].join('; ')
  return (
    <>
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
    </>
  )
}

interface LineNameProps {
  readonly line: LadderLine
  readonly nameOf: (lineId: string) => string
}

function LineName({ line: { lineId, weighed }, nameOf }: LineNameProps) {
  const t = useWords()
  return (
    <>
      {nameOf(lineId)} {weighed && <span className="muted">{t('return.weighed')}</span>}
    </>
  )
}

/** A measure with its decimals, or units. */
function quantityText(locale: string, { weighed }: LadderLine, thousandths: bigint): string {
  return weighed ? formatScaled(thousandths, quantityScale, locale) : formatScaled(thousandths / 1000n, 0, locale)
}

export function Ladder({ sale: { calculationId, currency, venueId } }: { readonly sale: Sale }) {
  const t = useWords()
  const nameOf = useLineNames(calculationId, venueId)
  const query = useQuery(ReturnService.method.getLadder, { calculationId })
  if (!query.isSuccess) return <Waiting query={query} lines={3} />
  return (
    <>
      <Rows
        label={t('ladder.title')}
        columns={[
          { key: 'line', head: t('ladder.line'), cell: (line) => <LineName line={line} nameOf={nameOf} /> },
          {
            key: 'bought',
            head: t('ladder.bought'),
            cell: (line) => quantityText(t.locale, line, line.quantityThousandths),
            isNumber: true,
          },
          {
            key: 'returned',
            head: t('ladder.returned'),
            cell: (line) => quantityText(t.locale, line, line.returnedThousandths),
            isNumber: true,
          },
          moneyColumn<LadderLine>({
            key: 'net',
            head: t('ladder.net', { currency }),
            currency,
            minor: ({ net }) => net,
          }),
          moneyColumn<LadderLine>({
            key: 'refunded',
            head: t('ladder.refunded'),
            currency,
            minor: ({ refunded }) => refunded,
          }),
        ]}
        rows={query.data.lines}
        keyOf={({ lineId }) => lineId}
      />
      <p>{t('ladder.refundedAll', { amount: moneyText({ t, currency }, query.data.refunded) })}</p>
    </>
  )
}

/** Names of the lines of a sale, by the products of its basket; an unknown line keeps its id. */
function useLineNames(calculationId: string, venueId: string): (lineId: string) => string {
  const { data } = useQuery(CalculationService.method.getCalculation, { calculationId }, { retry: false })
  const nameOf = useProductNames(venueId)
  const lines = [...(readRequest(data?.requestJson)?.lines ?? []), ...(readAnswer(data?.answerJson)?.lines ?? [])]
  const products = new Map(lines.map(({ lineId, productId }) => [lineId, productId]))
  return (lineId) => {
    const productId = products.get(lineId)
    return productId === undefined ? lineId : nameOf(productId)
  }
}
