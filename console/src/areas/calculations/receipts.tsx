import type { ReactNode } from 'react'
import { useProductNames } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { Money } from '../../parts/money.js'
import { type LinePair, pairLines, type Receipt, type ReceiptDiscount, type ReceiptLine } from './read-basket.js'
import styles from './receipts.module.css'

interface ReceiptsProps {
  readonly before: Receipt
  readonly after: Receipt
  readonly currency: string
  readonly venueId: string
  /** What tells these receipts from others of the screen, for screen readers; absent: there are no others. */
  readonly label?: string
}

/** The basket as it was sent and as it was returned, line beside line. */
export function Receipts({ before, after, currency, venueId, label }: ReceiptsProps) {
  const t = useWords()
  const nameOf = useProductNames(venueId)
  const pairs = pairLines(before, after)
  // Heads, lines, discounts of the order, totals.
  const gridTemplateRows = `repeat(${pairs.length + 3}, auto)`
  const side = { currency, nameOf, label }
  return (
    <div className={styles['receipts']} style={{ gridTemplateRows }}>
      <Side {...side} title={t('receipt.before')} receipt={before} pairs={pairs} linesOf={onlyBefore} />
      <Side {...side} title={t('receipt.after')} receipt={after} pairs={pairs} linesOf={onlyAfter} />
    </div>
  )
}

const onlyBefore = ({ before }: LinePair) => (before === null ? [] : [before])
const onlyAfter = ({ after }: LinePair) => after

interface SideProps {
  readonly title: string
  readonly receipt: Receipt
  readonly pairs: readonly LinePair[]
  readonly linesOf: (pair: LinePair) => readonly ReceiptLine[]
  readonly currency: string
  readonly nameOf: (productId: string) => string
  readonly label: string | undefined
}

function Side({ title, receipt, pairs, linesOf, currency, nameOf, label }: SideProps) {
  const t = useWords()
  return (
    <section className={styles['receipt']} aria-label={label === undefined ? title : `${title}, ${label}`}>
      <Row name={<span className="muted">{title}</span>} amount={<span className="muted">{currency}</span>} />
      {pairs.map((pair) => (
        <div key={(pair.before ?? pair.after[0])!.lineId} className={styles['line']}>
          {linesOf(pair).map((line) => (
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
  readonly line: ReceiptLine
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
