import type { ReactNode } from 'react'
import { useProductNames } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { Money } from '../../parts/values.js'
import styles from './calculations.module.css'
import { groupLines, type Receipt, type ReceiptDiscount, type ReceiptLine } from './read-basket.js'

interface ReceiptsProps {
  readonly before: Receipt
  readonly after: Receipt
  readonly currency: string
  readonly venueId: string
  /** Distinguishes these receipts from others of the screen, for screen readers; absent: there are no others. */
  readonly label?: string
}

export function Receipts({ before, after, ...shared }: ReceiptsProps) {
  const t = useWords()
  const sides = [
    { title: t('receipt.before'), receipt: before },
    { title: t('receipt.after'), receipt: after },
  ]
  return <ReceiptSides sides={sides} {...shared} />
}

interface ReceiptSidesProps {
  /** Variants of one basket; the first one as sent. */
  readonly sides: readonly { readonly title: string; readonly receipt: Receipt }[]
  readonly currency: string
  readonly venueId: string
  readonly label?: string
}

export function ReceiptSides({ sides, currency, venueId, label }: ReceiptSidesProps) {
  const nameOf = useProductNames(venueId)
  const rows = groupLines(sides.map(({ receipt }) => receipt))
  // Heads, lines, discounts of the order, totals.
  const gridTemplateRows = `repeat(${rows.length + 3}, auto)`
  return (
    <div className={styles['receipts']} data-sides={sides.length} style={{ gridTemplateRows }}>
      {sides.map(({ title, receipt }, at) => (
        <Side
          key={title}
          title={title}
          receipt={receipt}
          rows={rows.map(({ lineId, lines, lowered }) => ({ lineId, lines: withFullPrice(lines[at]!, lowered[at]!) }))}
          currency={currency}
          nameOf={nameOf}
          label={label}
        />
      ))}
    </div>
  )
}

interface PricedLine extends ReceiptLine {
  /** Minor units that a lower price took off its gross. */
  readonly lowered: number
}

/** The first line of a lower price with the price before, and what was taken off. */
function withFullPrice(lines: readonly ReceiptLine[], lowered: number): readonly PricedLine[] {
  const first = lines.find(({ isLowered }) => isLowered)
  return lines.map((line) =>
    line === first ? { ...line, gross: line.gross + lowered, lowered } : { ...line, lowered: 0 },
  )
}

interface SideProps {
  readonly title: string
  readonly receipt: Receipt
  readonly rows: readonly { readonly lineId: string; readonly lines: readonly PricedLine[] }[]
  readonly currency: string
  readonly nameOf: (productId: string) => string
  readonly label: string | undefined
}

function Side({ title, receipt, rows, currency, nameOf, label }: SideProps) {
  const t = useWords()
  return (
    <section className={styles['receipt']} aria-label={label === undefined ? title : `${title}, ${label}`}>
      <Row name={<span className="muted">{title}</span>} amount={<span className="muted">{currency}</span>} />
      {rows.map(({ lineId, lines }) => (
        <div key={lineId} className={styles['line']}>
          {lines.map((line) => (
            <Line key={line.lineId} line={line} currency={currency} name={nameOf(line.productId)} />
          ))}
        </div>
      ))}
      <div className={styles['line']}>
        {receipt.orderDiscounts.map((discount) => (
          <Discount key={`${discount.text}/${discount.amount}`} discount={discount} currency={currency} />
        ))}
      </div>
      <Row
        name={<strong>{t('receipt.total')}</strong>}
        amount={
          <strong>
            <Money minor={receipt.net} currency={currency} />
          </strong>
        }
      />
    </section>
  )
}

interface LineProps {
  readonly line: PricedLine
  readonly currency: string
  readonly name: string
}

function Line({ line, currency, name }: LineProps) {
  const t = useWords()
  const quantity = new Intl.NumberFormat(t.locale, { maximumFractionDigits: 3 }).format(line.quantity)
  return (
    <>
      <Row
        name={
          <>
            {quantity} {name} {line.isAdded && <span className="gained">{t('receipt.added')}</span>}
          </>
        }
        amount={<Money minor={line.gross} currency={currency} />}
      />
      {line.lowered > 0 && (
        <Discount discount={{ text: t('receipt.lowered'), amount: line.lowered }} currency={currency} />
      )}
      {line.discounts.map((discount) => (
        <Discount key={`${discount.text}/${discount.amount}`} discount={discount} currency={currency} />
      ))}
    </>
  )
}

function Discount({ discount, currency }: { readonly discount: ReceiptDiscount; readonly currency: string }) {
  return (
    <Row
      isInner
      name={<span className="muted">{discount.text}</span>}
      amount={
        <span className="gained">
          <Money minor={-discount.amount} currency={currency} />
        </span>
      }
    />
  )
}

interface RowProps {
  readonly name: ReactNode
  readonly amount: ReactNode
  readonly isInner?: boolean
}

function Row({ name, amount, isInner = false }: RowProps) {
  return (
    <p className={styles['row']} data-inner={isInner || undefined}>
      <span>{name}</span>
      <span>{amount}</span>
    </p>
  )
}
