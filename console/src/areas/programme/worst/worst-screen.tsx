import {
  type WorstBasket,
  WorstObjective,
  type WorstProgress,
  WorstReason,
  type WorstReceipt,
  type WorstRemedy,
  type WorstReport,
} from '../../../../../gateway/gen/loyalty/v1/worst_baskets_pb.js'
import { useCommands } from '../../../api/use-commands.js'
import { useReportRun } from '../../../api/use-report-run.js'
import { useWords, type Words } from '../../../i18n/words.js'
import { Button } from '../../../parts/controls.js'
import { Part } from '../../../parts/page.js'
import { digitsOf, formatScaled } from '../../../parts/scaled.js'
import { Empty, ErrorPanel } from '../../../parts/states.js'
import { Money, Time, wordOf } from '../../../parts/values.js'
import { listIn, textIn } from '../describe/saying.js'
import { readDocument } from '../describe/use-saying.js'
import { editDraft, useProgrammeDraft } from '../draft-store.js'
import styles from '../programme.module.css'
import { idIn, withChanges } from './apply-remedy.js'

/** Searches the worst baskets that the draft allows; what closes one can be put into the draft. */
export function DraftWorst() {
  const t = useWords()
  const draft = useProgrammeDraft()
  const { programmes } = useCommands()
  const { run, start, stop } = useReportRun<WorstProgress, WorstReport, string, string>((value, options) =>
    programmes.findWorstBaskets({ programme: { case: 'draftDocument', value } }, options),
  )
  if (draft === null) return null
  const { document } = draft
  const isChanged = run?.kind === 'done' && run.asked !== document
  return (
    <>
      <div className="row">
        <Button
          data-main
          disabled={run?.kind === 'running'}
          onClick={() => void start(document, document)}
          text={t(run === null ? 'worst.do' : 'worst.again')}
        />
        {run?.kind === 'running' && <Button onClick={stop} text={t('shadow.stop')} />}
      </div>
      {run === null && <p className="muted">{t('worst.what')}</p>}
      {run?.kind === 'running' && <WorstProgressBar progress={run.progress} />}
      {run?.kind === 'failed' && <ErrorPanel cause={run.cause} />}
      {isChanged && <p role="status">{t('worst.changed')}</p>}
      {run?.kind === 'done' && <Report report={run.report} document={run.asked} />}
    </>
  )
}

export function WorstProgressBar({ progress }: { readonly progress: WorstProgress | null }) {
  const t = useWords()
  const { steps, stepsMax } = progress ?? { steps: 0, stepsMax: 1 }
  return (
    <div className={styles['progress']} role="status">
      <progress value={steps} max={stepsMax} aria-label={t('draft.worst')} />
      <span>{t('worst.progress', { steps })}</span>
    </div>
  )
}

interface ReportProps {
  readonly report: WorstReport
  /** The document that was searched. */
  readonly document: string
}

const objectives = Object.values(WorstObjective).filter(
  (value): value is WorstObjective => typeof value === 'number' && value !== WorstObjective.UNSPECIFIED,
)

function Report({ report, document }: ReportProps) {
  const t = useWords()
  const { baskets, proofs, steps, products, madeUpProducts, whole } = report
  const broken = baskets.filter(({ guardId }) => guardId !== '').length
  return (
    <>
      <p className="lead">
        {broken > 0 ? t('worst.broken', { count: broken }) : t('worst.lead', { count: baskets.length })}
      </p>
      <p className="muted small">
        {t('worst.searched', { steps, products })} {madeUpProducts && t('worst.madeUp')} {!whole && t('worst.notWhole')}
      </p>
      {proofs.map(({ guardId, atMostTenThousandths }) => (
        <p key={guardId}>{t('worst.proven', { guardId, percentage: String(atMostTenThousandths / 10_000) })}</p>
      ))}
      {baskets.length === 0 && <Empty why={t('worst.none')}>{t('worst.noProof')}</Empty>}
      {objectives
        .map((objective) => ({ objective, own: baskets.filter((basket) => basket.objective === objective) }))
        .filter(({ own }) => own.length > 0)
        // A broken guard is the worst.
        .sort((a, b) => Number(b.objective === WorstObjective.GUARDS) - Number(a.objective === WorstObjective.GUARDS))
        .map(({ objective, own }) => (
          <Part key={objective} level={2} title={wordOf(t, 'worstObjective', WorstObjective, objective)}>
            {own.map((basket) => (
              <Basket key={basket.sentence} basket={basket} document={document} />
            ))}
          </Part>
        ))}
    </>
  )
}

const sentenceKeys = new Map<WorstObjective, Parameters<Words>[0]>([
  [WorstObjective.GUARDS, 'worst.guard'],
  [WorstObjective.LARGEST_SHARE, 'worst.share'],
  [WorstObjective.PAID_FOR_MORE, 'worst.less'],
  [WorstObjective.SPLIT, 'worst.split'],
])

interface BasketProps extends Pick<ReportProps, 'document'> {
  readonly basket: WorstBasket
}

/** How bad it is, by which benefits, and why. */
export function WorstSentence({ basket, document }: BasketProps) {
  const t = useWords()
  const { objective, reason, receipt, benefitIds, guardId, off } = basket
  const { currency, before } = receipt!
  const names = benefitIds.map((id) => nameIn(document, id)).join(', ')
  const amount = `${formatScaled(off, digitsOf(currency), t.locale)} ${currency}`
  const share = new Intl.NumberFormat(t.locale, { style: 'percent' }).format(Number(off) / Number(before))
  const key = sentenceKeys.get(objective) ?? 'worst.sentence'
  return (
    <>
      <strong>{t(key, { amount, names, guardId, share })}</strong> {wordOf(t, 'worstReason', WorstReason, reason)}
    </>
  )
}

function Basket({ basket, document }: BasketProps) {
  const t = useWords()
  const { receipt, remedies } = basket
  const { currency } = receipt!
  return (
    <article className={styles['worst']}>
      <p>
        <WorstSentence basket={basket} document={document} />
      </p>
      <WorstReceipts basket={basket} document={document} />
      {remedies.length > 0 && (
        <div className="flow">
          <span className="muted">{t('worst.closes')}</span>
          {remedies.map((remedy) => (
            <Remedy key={remedy.changes.map(({ path }) => path).join()} remedy={remedy} currency={currency} />
          ))}
        </div>
      )}
    </article>
  )
}

export function WorstReceipts({ basket: { receipt, other }, document }: BasketProps) {
  return (
    <div className={styles['sides']}>
      <Receipt receipt={receipt!} document={document} />
      {other !== undefined && <Receipt receipt={other} document={document} />}
    </div>
  )
}

interface ReceiptProps extends Pick<ReportProps, 'document'> {
  readonly receipt: WorstReceipt
}

function Receipt({ receipt, document }: ReceiptProps) {
  const t = useWords()
  const { venueId, currency, requestedAt, buyer, lines, before, after } = receipt
  const who = [buyer?.tier, ...(buyer?.segments ?? [])].filter(Boolean).join(', ')
  return (
    <table className={styles['worstReceipt']}>
      <caption className="muted small">
        {nameIn(document, venueId)}, <Time at={requestedAt} venueId={venueId} show="full" />
        {who !== '' && `, ${who}`}
      </caption>
      <tbody>
        {lines.map(({ productId, name, quantityThousandths, unitPrice, ownDiscount, below }) => (
          <tr key={`${productId}/${unitPrice}/${below}`}>
            <td>
              {below && '+ '}
              {new Intl.NumberFormat(t.locale, { maximumFractionDigits: 3 }).format(Number(quantityThousandths) / 1000)}{' '}
              {name}
              {ownDiscount > 0n && (
                <span className="muted">
                  {' '}
                  <Money minor={-ownDiscount} currency={currency} />
                </span>
              )}
            </td>
            <td className="number">
              <Money minor={(unitPrice * quantityThousandths) / 1000n} currency={currency} />
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{t('receipt.total')}</th>
          <td className="number">
            {before !== after && (
              <s className="muted">
                <Money minor={before} currency={currency} />
              </s>
            )}{' '}
            <strong>
              <Money minor={after} currency={currency} withCurrency />
            </strong>
          </td>
        </tr>
      </tfoot>
    </table>
  )
}

function Remedy({ remedy, currency }: { readonly remedy: WorstRemedy; readonly currency: string }) {
  const t = useWords()
  const draft = useProgrammeDraft()
  if (draft === null) return null
  const changed = withChanges(draft.text, remedy.changes)
  const [first] = remedy.changes
  const names = [...new Set(remedy.changes.map(({ path }) => nameIn(draft.document, idIn(path))))].join(', ')
  return (
    <Button
      disabled={changed === null || changed === draft.text}
      onClick={() => editDraft(changed!)}
      text={`${names}: ${remedyText(t, first!, currency)}`}
    />
  )
}

/** A change in words; the end of its path tells which. */
function remedyText(t: Words, { path, valueJson }: WorstRemedy['changes'][number], currency: string): string {
  const [field = ''] = path.split('.').slice(-1)
  const value = valueJson === '' ? null : (JSON.parse(valueJson) as unknown)
  if (field === 'limits') {
    const [last] = (value as readonly { readonly period: string }[]).slice(-1)
    return t.of('worstRemedy', last?.period === 'birthday' ? 'birthday' : 'daily')
  }
  const isMoney = field === 'maximumAmount' || field === 'amount'
  const amount = isMoney ? `${formatScaled(BigInt(value as number), digitsOf(currency), t.locale)} ${currency}` : ''
  return isMoney
    ? t(field === 'amount' ? 'worstRemedy.amount' : 'worstRemedy.maximumAmount', { amount })
    : t.of('worstRemedy', field)
}

/** The text of a benefit, or the name of a venue, of a document; its id where it has none. */
function nameIn(document: string, id: string): string {
  const read = readDocument(document) ?? {}
  const benefit = listIn(read, 'benefits').find((each) => textIn(each, 'benefitId') === id)
  const venue = listIn(read, 'venues').find((each) => textIn(each, 'venueId') === id)
  return textIn(benefit ?? {}, 'text') || textIn(venue ?? {}, 'name') || id
}
