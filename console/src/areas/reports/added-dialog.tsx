import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { ShadowRunReport } from '../../../../gateway/gen/loyalty/v1/shadow_run_pb.js'
import { nowMs } from '../../api/clock.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useShadowRun } from '../../api/use-shadow-run.js'
import { useHouseZone } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Button, Dialog } from '../../parts/controls.js'
import { endOfDay, momentAt } from '../../parts/offsets.js'
import { moneyColumn, Rows } from '../../parts/rows.js'
import { percentText } from '../../parts/scaled.js'
import { ErrorPanel } from '../../parts/states.js'
import { moneyText } from '../calculations/reasons.js'
import type { Range } from './range.js'
import styles from './reports.module.css'

interface AddedDialogProps {
  readonly benefitId: string
  readonly range: Range
  readonly onClose: () => void
}

export function AddedDialog({ benefitId, range, onClose }: AddedDialogProps) {
  const t = useWords()
  const zone = useHouseZone()
  const { benefits } = useProgrammeNames(0)
  const { run, start, stop } = useShadowRun<null>()
  const name = benefits.get(benefitId)?.text ?? benefitId
  const begin = () => {
    const from = momentAt(`${range.from}T00:00`, zone)
    const until = endOfDay(range.until, zone)
    const isOver = until.getTime() < nowMs()
    void start(
      {
        withoutBenefitId: benefitId,
        from: timestampFromDate(from),
        ...(isOver ? { until: timestampFromDate(until) } : {}),
      },
      null,
    )
  }
  return (
    <Dialog title={t('added.title', { name })} onClose={onClose}>
      <p>{t('added.what', { from: range.from, until: range.until })}</p>
      {run?.kind === 'running' && (
        <p role="status">
          <progress
            className={styles['progress']}
            value={Number(run.progress?.done ?? 0n)}
            max={Math.max(1, Number(run.progress?.total ?? 0n))}
            aria-label={t('added.open')}
          />
          {t('shadow.progress', { done: run.progress?.done ?? 0n, total: run.progress?.total ?? 0n })}
        </p>
      )}
      {run?.kind === 'failed' && <ErrorPanel cause={run.cause} onRetry={begin} />}
      {run?.kind === 'done' && <Added report={run.report} benefitId={benefitId} />}
      <div className="end">
        {run?.kind === 'running' ? (
          <Button onClick={stop} text={t('shadow.stop')} />
        ) : (
          <Button data-main onClick={begin} text={t('added.do')} />
        )}
        <Button onClick={onClose} text={t('dialog.close')} />
      </div>
    </Dialog>
  )
}

function Added({ report, benefitId }: { readonly report: ShadowRunReport; readonly benefitId: string }) {
  const t = useWords()
  const { calculations, skipped } = report
  const rows = addedOf(report, benefitId)
  return (
    <div role="status" className="stack">
      <p>{t('added.priced', { count: calculations, skipped })}</p>
      {rows.length === 0 && <p>{t('added.none')}</p>}
      {rows.map((row) => (
        <p key={row.currency}>
          <strong>{addedText(t, row)}</strong>
        </p>
      ))}
      {rows.length > 0 && <p className="muted">{t('added.how')}</p>}
      {rows.flatMap(({ currency, others }) =>
        others.length === 0 ? [] : [<Others key={currency} rows={others} currency={currency} />],
      )}
    </div>
  )
}

interface AddedRow {
  readonly currency: string
  /** Minor units of the benefit's discount. */
  readonly given: bigint
  readonly added: bigint
  readonly others: readonly { readonly benefitId: string; readonly more: bigint }[]
}

function addedOf({ byBenefit, totals }: ShadowRunReport, benefitId: string): readonly AddedRow[] {
  return byBenefit
    .filter(({ key, discountThen }) => key === benefitId && discountThen > 0n)
    .map(({ currency, discountThen: given }) => {
      const total = totals.find((row) => row.currency === currency)
      const others = byBenefit
        .filter((row) => row.currency === currency && row.key !== benefitId && row.discountDraft !== row.discountThen)
        .map((row) => ({ benefitId: row.key, more: row.discountDraft - row.discountThen }))
      return { currency, given, added: (total?.discountThen ?? 0n) - (total?.discountDraft ?? 0n), others }
    })
}

function addedText(t: Words, { currency, given, added }: AddedRow): string {
  const money = (minor: bigint) => moneyText({ t, currency }, minor)
  return t('added.found', { given: money(given), added: money(added), share: percentText(t, added, given) })
}

function Others({ rows, currency }: { readonly rows: AddedRow['others']; readonly currency: string }) {
  const t = useWords()
  const { benefits } = useProgrammeNames(0)
  return (
    <Rows
      label={t('added.others')}
      columns={[
        { key: 'name', head: t('added.others'), cell: ({ benefitId }) => benefits.get(benefitId)?.text ?? benefitId },
        moneyColumn<AddedRow['others'][number]>({
          key: 'more',
          head: t('added.more', { currency }),
          currency,
          minor: ({ more }) => more,
        }),
      ]}
      rows={rows}
      keyOf={({ benefitId }) => benefitId}
    />
  )
}
