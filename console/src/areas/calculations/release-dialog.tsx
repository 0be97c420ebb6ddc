import { useQuery } from '@connectrpc/connect-query'
import {
  CalculationService,
  type CalculationSummary,
  type ReleaseReservationResponse,
} from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { newId } from '../../api/new-id.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useCommands } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { AuditRecord } from '../../parts/audit-record.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Time } from '../../parts/time.js'
import styles from './calculation.module.css'
import { valueText } from './reasons.js'

interface ReleaseDialogProps {
  readonly calculation: CalculationSummary
  readonly onClose: () => void
}

const dryRequestId = newId()

/** Ends an open calculation; a dry run says before what it would release. */
export function ReleaseDialog({ calculation, onClose }: ReleaseDialogProps) {
  const t = useWords()
  const { calculations, changed } = useCommands()
  const { calculationId, answeredAt, venueId } = calculation
  const dryRun = useQuery(
    CalculationService.method.releaseReservation,
    { requestId: dryRequestId, calculationId, reason: 'dry run', dryRun: true },
    { staleTime: 0, retry: false },
  )
  return (
    <CommandDialog
      title={t('release.title')}
      verb={t('release.do')}
      draftKey={`release/${calculationId}`}
      isReady={dryRun.isSuccess}
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        const released = await calculations.releaseReservation({ requestId, calculationId, reason, dryRun: false })
        await changed()
        return (
          <>
            <Released released={released} />
            <AuditRecord requestId={requestId} />
          </>
        )
      }}
    >
      <p>
        {t('release.what')} <Time at={answeredAt} venueId={venueId} />
      </p>
      {dryRun.isError && <ErrorPanel cause={dryRun.error} />}
      {dryRun.isSuccess && <Released released={dryRun.data} />}
    </CommandDialog>
  )
}

function Released({ released: { reservations, value } }: { readonly released: ReleaseReservationResponse }) {
  const t = useWords()
  const names = useProgrammeNames(0)
  return (
    <ul className={styles['change']} role="status">
      {reservations.length + value.length === 0 && <li>{t('release.nothing')}</li>}
      {reservations.map(({ limitId, subject, period, units }) => (
        <li key={`${limitId}/${subject}/${period}`}>
          {t('release.limit', { units: String(units), limitId, period: period || t('period.ever') })}
        </li>
      ))}
      {value.map(({ currencyId, amount }) => (
        <li key={currencyId}>{t('release.value', { value: valueText({ t, names }, currencyId, amount) })}</li>
      ))}
    </ul>
  )
}
