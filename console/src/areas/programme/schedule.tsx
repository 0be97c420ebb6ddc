import { type Timestamp, timestampFromDate, timestampMs } from '@bufbuild/protobuf/wkt'
import { useQuery } from '@connectrpc/connect-query'
import type { ReactNode } from 'react'
import type { ProgrammeProposal, ProposalState } from '../../../../gateway/gen/loyalty/v1/programme_proposal_pb.js'
import { ProgrammeService } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useHouseZone, useVenues } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { Check, Select, TextLink } from '../../parts/controls.js'
import { DayField } from '../../parts/day-field.js'
import { momentAt } from '../../parts/offsets.js'
import { useDraft } from '../../parts/use-draft.js'
import { Time } from '../../parts/values.js'

export interface Moment {
  readonly publishAt: Timestamp
  readonly timeZone: string
}

interface Schedule {
  /** null: now. */
  readonly moment: Moment | null
  readonly isReady: boolean
  readonly fields: ReactNode
}

/** Asks when to publish. @param draftKey  under which the typed moment survives a reload */
export function useSchedule(draftKey: string): Schedule {
  const t = useWords()
  const houseZone = useHouseZone()
  const zones = [...new Set([houseZone, ...useVenues().map(({ timeZone }) => timeZone)])]
  const [wanted, setWanted] = useDraft(`${draftKey}/later`, '')
  const [local, setLocal] = useDraft(`${draftKey}/at`, '')
  const [zone, setZone] = useDraft(`${draftKey}/zone`, '')
  const timeZone = zones.includes(zone) ? zone : houseZone
  const isLater = wanted !== ''
  const moment = isLater && local !== '' ? { publishAt: timestampFromDate(momentAt(local, timeZone)), timeZone } : null
  // The service would publish at once.
  const isPast = moment !== null && timestampMs(moment.publishAt) <= Date.now()
  const fields = (
    <>
      <Check text={t('schedule.want')} checked={isLater} onCheck={(isOn) => setWanted(isOn ? 'yes' : '')} />
      {isLater && (
        <div className="row">
          <DayField label={t('schedule.at', { zone: timeZone })} value={local} withTime required onText={setLocal} />
          {zones.length > 1 && (
            <Select
              label={t('field.timeZone')}
              value={timeZone}
              options={zones.map((each) => [each, each] as const)}
              onText={setZone}
            />
          )}
        </div>
      )}
      {isPast && <p className="lost">{t('schedule.past')}</p>}
      {isLater && <p className="muted">{t('schedule.what')}</p>}
    </>
  )
  return { moment, isReady: !isLater || (moment !== null && !isPast), fields }
}

/** @param proposal  absent: the document is the newest version already */
export function Scheduled({ proposal }: { readonly proposal: ProgrammeProposal | undefined }) {
  const t = useWords()
  if (proposal === undefined) return <p>{t('propose.already')}</p>
  const { proposalId, publishAt, timeZone } = proposal
  return (
    <>
      <p>
        {t('schedule.done')} <Time at={publishAt} zone={timeZone} show="full" />
      </p>
      <p>
        <TextLink to="/programme/proposals/$proposalId" params={{ proposalId }} text={t('schedule.look')} />
      </p>
    </>
  )
}

const countedMax = 50
const againMs = 30_000

/** The newest proposals in a state. */
export function useProposals(state: ProposalState): readonly ProgrammeProposal[] {
  const { data } = useQuery(
    ProgrammeService.method.listProposals,
    { pageSize: countedMax, state },
    { refetchInterval: againMs },
  )
  return data?.proposals ?? []
}
