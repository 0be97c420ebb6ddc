import { createClient } from '@connectrpc/connect'
import { useQuery, useTransport } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode, useCallback } from 'react'
import { CalculationService } from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationStatus } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { ProposalState } from '../../../../gateway/gen/loyalty/v1/programme_proposal_pb.js'
import { ProgrammeService } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { ReportService, type WatchTodayResponse } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { SystemService } from '../../../../gateway/gen/loyalty/v1/system_service_pb.js'
import { useStream } from '../../api/use-stream.js'
import { useIsToday, useLoadedVenues, useVenueNames } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { FirstVenue, TextLink } from '../../parts/controls.js'
import { Part } from '../../parts/page.js'
import { ErrorPanel, Skeleton, Waiting } from '../../parts/states.js'
import { dateOf, Money, Time, wordOf } from '../../parts/values.js'
import { useProposals } from '../programme/schedule.js'
import { expectedVersion, faultsOf, gatewaysAgainMs, type HealthPart, storeParts } from '../system/gateway-faults.js'
import { Answers, useAnswerFaults } from './answers.js'
import { Given } from './given.js'
import { RunningOut } from './running-out.js'
import styles from './today.module.css'

export function Today() {
  const t = useWords()
  const { today, cause, again } = useToday()
  return (
    <div className={styles['today']}>
      <h1>{t('area.today')}</h1>
      {cause !== null && <ErrorPanel cause={cause} onRetry={again} />}
      {cause !== null && today !== null && (
        <p role="status">
          {t('today.stale')} <Time at={today.at} show="time" />
        </p>
      )}
      {useLoadedVenues()?.length === 0 && (
        <p className={styles['lead']}>
          {t('venues.empty')} <FirstVenue />
        </p>
      )}
      {today === null ? cause === null && <Skeleton /> : <Now today={today} />}
      <Part level={2} title={t('today.recent')}>
        <Recent />
      </Part>
    </div>
  )
}

function Now({ today }: { readonly today: WatchTodayResponse }) {
  const t = useWords()
  const health = useHealth(today)
  return (
    <>
      <Lead today={today} health={health} />
      <Health health={health} />
      <Part level={2} title={t('today.limits')}>
        <RunningOut limits={today.limits} />
      </Part>
      <Part level={2} title={t('today.answers')}>
        <Answers />
      </Part>
      <Part level={2} title={t('today.given')}>
        <Given today={today} />
      </Part>
    </>
  )
}

function Health({ health }: { readonly health: readonly HealthPart[] }) {
  return (
    <dl className={styles['health']}>
      {health.map(({ name, text, isWell }) => (
        <div key={name}>
          <dt>
            <Link to="/system">{name}</Link>
          </dt>
          <dd className={isWell ? undefined : 'lost'}>
            <span aria-hidden="true">{isWell ? '✓ ' : '! '}</span>
            {text}
          </dd>
        </div>
      ))}
    </dl>
  )
}

interface LeadProps {
  readonly today: WatchTodayResponse
  readonly health: readonly HealthPart[]
}

function Lead({ today: { limits, disagreeingSales: disagreeing }, health }: LeadProps) {
  const t = useWords()
  const isToday = useIsToday()
  const full = limits.filter(({ taken, maximum }) => taken >= maximum)
  const gone = full.filter(({ taken, held, maximum }) => taken - held >= maximum).length
  const heldAll = full.length - gone
  const going = limits.filter(
    ({ taken, maximum, runsOutAt }) => taken < maximum && runsOutAt !== undefined && isToday(dateOf(runsOutAt)),
  ).length
  const amiss = health.filter(({ isWell }) => !isWell)
  const faults = useAnswerFaults()
  const [failed, ...others] = useProposals(ProposalState.FAILED)
  const clauses: readonly ReactNode[] = [
    ...(faults ?? []).map((text) => (
      <span key={text} className="lost">
        {text}
      </span>
    )),
    ...amiss.map(({ name, text }) => <TextLink key={name} to="/system" text={t('lead.amiss', { name, text })} />),
    ...(failed === undefined
      ? []
      : [
          <TextLink
            key="failed"
            to="/programme/proposals/$proposalId"
            params={{ proposalId: failed.proposalId }}
            text={t('lead.unpublished', { count: others.length + 1 })}
          />,
        ]),
    ...(going === 0 ? [] : [<TextLink key="going" to="/limits" text={t('lead.going', { count: going })} />]),
    ...(gone === 0 ? [] : [<TextLink key="gone" to="/limits" text={t('lead.gone', { count: gone })} />]),
    ...(heldAll === 0 ? [] : [<TextLink key="held" to="/limits" text={t('lead.full', { count: heldAll })} />]),
    ...(disagreeing === 0n
      ? []
      : [
          <TextLink
            key="disagree"
            to="/sales"
            search={{ discrepancy: 'any' }}
            text={t('lead.disagree', { count: disagreeing })}
          />,
        ]),
  ]
  return (
    <p className={styles['lead']} role="status">
      {clauses.map((clause, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: clauses have no other order than this
        <Fragment key={at}>
          {clause}
          {faults?.length === 0 ? '; ' : at < clauses.length - 1 ? '; ' : '.'}
        </Fragment>
      ))}
      {faults?.length === 0 && t(clauses.length === 0 ? 'lead.well' : 'lead.elseWell')}
    </p>
  )
}

const againMs = 10_000
const shown = 8

function Recent() {
  const t = useWords()
  const venueName = useVenueNames()
  const query = useQuery(CalculationService.method.listCalculations, { pageSize: shown }, { refetchInterval: againMs })
  if (!query.isSuccess) return <Waiting query={query} lines={shown} />
  if (query.data.calculations.length === 0) return <p className="muted">{t('today.noBasket')}</p>
  return (
    <ul className={styles['recent']}>
      {query.data.calculations.map((row) => (
        <li key={row.calculationId}>
          <TextLink
            to="/calculations/$calculationId"
            params={{ calculationId: row.calculationId }}
            text={<Time at={row.answeredAt} venueId={row.venueId} show="time" />}
          />
          <span>{row.memberId ?? row.loyaltyId ?? t('calculation.nobody')}</span>
          <span className="muted">{venueName(row.venueId)}</span>
          <span>{wordOf(t, 'status', CalculationStatus, row.status)}</span>
          <span className="number">
            <Money minor={row.netAfter} currency={row.currency} withCurrency />
          </span>
        </li>
      ))}
    </ul>
  )
}

export interface Watched {
  /** null: no message yet. */
  readonly today: WatchTodayResponse | null
  /** The reason why no more messages come; null: they do, or the call is tried again. */
  readonly cause: unknown
  readonly again: () => void
}

/** Today's figures, every two seconds, while the screen is open. The last message stays while the service is out of reach. */
function useToday(): Watched {
  const transport = useTransport()
  const open = useCallback(
    (signal: AbortSignal) => createClient(ReportService, transport).watchToday({}, { signal }),
    [transport],
  )
  const { latest: today, cause, again } = useStream(open)
  return { today, cause, again }
}

/** A publication is judged only half a minute later. */
const programmeAgainMs = 30_000

function useHealth({ programmeVersion }: WatchTodayResponse): readonly HealthPart[] {
  const t = useWords()
  const again = { refetchInterval: gatewaysAgainMs }
  const gateways = useQuery(SystemService.method.listGateways, {}, again)
  const stores = useQuery(SystemService.method.getStores, {}, again)
  const newest = useQuery(
    ProgrammeService.method.getProgramme,
    { version: 0, withoutDocument: true },
    { refetchInterval: programmeAgainMs },
  )
  const programme = newest.data?.programme
  const expected = expectedVersion(programme, gateways.data?.at)
  const running = gateways.data?.gateways.filter(({ silent }) => !silent) ?? []
  const amiss = gateways.data?.gateways.filter((gateway) => faultsOf(t, gateway, expected).length > 0).length ?? 0
  const behind = running.filter((gateway) => expected !== undefined && gateway.programmeVersion < expected).length
  return [
    ...(gateways.isSuccess
      ? [
          {
            name: t('gateways.title'),
            text: `${t('health.gateways', { count: running.length })}${amiss === 0 ? '' : `, ${t('gateways.amiss', { count: amiss })}`}`,
            isWell: amiss === 0,
          },
        ]
      : []),
    {
      name: t('health.programme'),
      text:
        behind === 0
          ? t('health.programmeEverywhere', { version: String(programmeVersion) })
          : t('health.programmeBehind', { version: String(programme?.version), count: behind }),
      isWell: behind === 0,
    },
    ...(stores.isSuccess ? storeParts(t, stores.data) : []),
  ]
}
