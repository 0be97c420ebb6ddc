import { useQuery } from '@connectrpc/connect-query'
import { useState } from 'react'
import {
  CalculationService,
  type ReleaseReservationResponse,
} from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { useNow } from '../../api/clock.js'
import { type ProgrammeNames, useProgrammeNames } from '../../api/programme.js'
import { preview } from '../../api/query-client.js'
import { newId } from '../../api/transport.js'
import { useCommands } from '../../api/use-commands.js'
import { useWords, type Words } from '../../i18n/words.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { Waiting } from '../../parts/states.js'
import { dateOf, shortened } from '../../parts/values.js'
import { valueText } from '../calculations/reasons.js'
import { unitsText } from './units.js'

interface ReleaseDialogProps {
  readonly calculationId: string
  readonly onClose: () => void
}

const minuteMs = 60_000

export function ReleaseDialog({ calculationId, onClose }: ReleaseDialogProps) {
  const t = useWords()
  const { calculations } = useCommands()
  const names = useProgrammeNames(0)
  const now = useNow()
  const [dryRunId] = useState(newId)
  const dryRun = useQuery(
    CalculationService.method.releaseReservation,
    { requestId: dryRunId, calculationId, reason: t('release.dryRun'), dryRun: true },
    preview,
  )
  const { data } = useQuery(CalculationService.method.getCalculation, { calculationId })
  const answeredAt = data?.calculation?.answeredAt
  const minutes =
    answeredAt === undefined ? 0 : Math.max(0, Math.floor((now.getTime() - dateOf(answeredAt).getTime()) / minuteMs))
  const shown = { t, names, currency: data?.calculation?.currency ?? '' }
  return (
    <CommandDialog
      title={t('release.title', { id: shortened(calculationId) })}
      verb={t('release.do')}
      draftKey={`release/${calculationId}`}
      isReady={dryRun.isSuccess && data !== undefined}
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        const released = await calculations.releaseReservation({ requestId, calculationId, reason })
        return (
          <>
            <p>{t('release.done')}</p>
            <Released {...shown} released={released} />
          </>
        )
      }}
    >
      <p>{t('release.what', { minutes })}</p>
      <Waiting query={dryRun} lines={2} />
      {dryRun.isSuccess && <Released {...shown} released={dryRun.data} />}
    </CommandDialog>
  )
}

interface ReleasedProps {
  readonly released: ReleaseReservationResponse
  readonly t: Words
  readonly names: ProgrammeNames
  readonly currency: string
}

function Released({ released, t, names, currency: basketCurrency }: ReleasedProps) {
  const { reservations, value } = released
  if (reservations.length + value.length === 0) return <p>{t('release.nothing')}</p>
  return (
    <ul className="box">
      {reservations.map(({ limitId, subject, period, units, counts }) => (
        <li key={`${limitId}/${subject}/${period}`}>
          {t('release.limit', {
            units: unitsText({ counts, currency: basketCurrency }, units, t.locale),
            limitId,
            period: period || t('period.ever'),
            subject: subject || t('why.everyone'),
          })}
        </li>
      ))}
      {value.map(({ currencyId, amount }) => (
        <li key={currencyId}>{t('release.value', { value: valueText({ t, names }, currencyId, amount) })}</li>
      ))}
    </ul>
  )
}
