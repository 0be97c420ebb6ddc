import { useQuery } from '@connectrpc/connect-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type GetLimitResponse,
  type LimitCounter,
  LimitService,
  type OpenReservation,
} from '../../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { type BenefitPart, useProgrammeNames } from '../../api/programme.js'
import { useMay } from '../../api/use-commands.js'
import { useVenueName } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Swatch, TakenBar } from '../../parts/charts.js'
import { Button, TextLink } from '../../parts/controls.js'
import { Detail, Facts, Part } from '../../parts/page.js'
import { type Column, Rows } from '../../parts/rows.js'
import { Waiting } from '../../parts/states.js'
import { shortened, Time } from '../../parts/values.js'
import styles from './limits.module.css'
import { RaiseDialog } from './raise-dialog.js'
import { ReleaseDialog } from './release-dialog.js'
import { isHeld, isSharedCounter, leftOf, ofMaximum, paceText, RunsOut, takenOf, unitsText } from './units.js'

const againMs = 10_000

export function LimitDetail() {
  const { openId } = useParams({ from: '/limits/$openId' })
  const { subject = '', period = '' } = useSearch({ from: '/limits' })
  const query = useQuery(
    LimitService.method.getLimit,
    { limitId: openId, subject, period },
    { refetchInterval: againMs },
  )
  if (!query.isSuccess) return <Waiting query={query} />
  return <Counter key={`${openId}/${subject}/${period}`} answer={query.data} />
}

function Counter({ answer }: { readonly answer: GetLimitResponse }) {
  const t = useWords()
  const may = useMay()
  const [released, setReleased] = useState<OpenReservation | null>(null)
  const [isRaised, setRaised] = useState(false)
  const counter = answer.counter!
  const benefit = useBenefitOf(counter.limitId)
  const venue = useVenueName(counter.subject)
  const mayRelease = may('CalculationService/ReleaseReservation')
  const mayRaise = may('ProgrammeService/PublishProgramme')
  return (
    <Detail
      title={counter.limitId}
      closeTo="/limits"
      closeSearch={({ subject: _subject, period: _period, ...filters }) => filters}
      buttons={mayRaise && benefit !== undefined && <Button onClick={() => setRaised(true)} text={t('raise.open')} />}
    >
      <Taken counter={counter} />
      <Facts facts={factsOf(t, { counter, benefit, whose: venue })} />
      {isSharedCounter(counter) && counter.lastHour !== undefined && (
        <Part title={t('limits.rate')}>
          <Facts facts={pacesOf(t, counter)} />
        </Part>
      )}
      <Part title={t('limits.heldBy')}>
        {answer.openReservations.length === 0 ? (
          <p className="muted">{t('limits.heldByNone')}</p>
        ) : (
          <Rows
            label={t('limits.heldBy')}
            columns={reservationColumns(t, counter, mayRelease ? setReleased : null)}
            rows={answer.openReservations}
            keyOf={({ calculationId }) => calculationId}
          />
        )}
      </Part>
      {!mayRaise && <p className="muted">{t('raise.whoMay')}</p>}
      {released !== null && <ReleaseDialog calculationId={released.calculationId} onClose={() => setReleased(null)} />}
      {isRaised && <RaiseDialog counter={counter} onClose={() => setRaised(false)} />}
    </Detail>
  )
}

function Taken({ counter }: { readonly counter: LimitCounter }) {
  const t = useWords()
  const parts = [
    { key: 'used', name: t('limit.used'), units: counter.used, colour: 'var(--accent)' },
    { key: 'held', name: t('limit.held'), units: counter.open, colour: 'var(--series-2)' },
    { key: 'late', name: t('limits.late'), units: counter.late, colour: 'var(--series-other)' },
  ].filter(({ units }) => units > 0n)
  return (
    <div className={styles['taken']}>
      <p>
        {t('limits.isTaken', { taken: ofMaximum(t, counter, takenOf(counter)) })}{' '}
        {isSharedCounter(counter) && (
          <>
            {t('limits.runsOut')}:{' '}
            <RunsOut
              left={leftOf(counter)}
              isHeld={isHeld(counter)}
              runsOutAt={counter.runsOutAt}
              periodEndsAt={counter.periodEndsAt}
              isShared
              venueId={counter.subject}
              pace={counter.lastWeek}
            />
          </>
        )}
      </p>
      <TakenBar
        whole={Number(counter.maximum)}
        parts={parts.map(({ key, units, colour }) => ({ key, size: Number(units), colour }))}
      />
      <ul className={styles['parts']}>
        {parts.map(({ key, name, units, colour }) => (
          <li key={key}>
            <Swatch colour={colour} />
            {name} {unitsText(counter, units, t.locale)}
          </li>
        ))}
      </ul>
    </div>
  )
}

interface CounterFacts {
  readonly counter: LimitCounter
  readonly benefit: BenefitPart | undefined
  /** The venue, else the member. */
  readonly whose: string
}

function factsOf(t: Words, { counter, benefit, whose }: CounterFacts) {
  const units = (amount: bigint) => unitsText(counter, amount, t.locale)
  return [
    [
      t('limits.benefit'),
      benefit === undefined ? (
        t('limits.notInForce')
      ) : (
        <TextLink
          key="benefit"
          to="/benefits/$benefitId"
          params={{ benefitId: benefit.benefitId }}
          text={benefit.text}
        />
      ),
    ],
    [t('limits.subject'), counter.subject === '' ? t('why.everyone') : whose],
    [t('limit.period'), counter.period || t('period.ever')],
    [t('limit.maximum'), units(counter.maximum)],
    [t('limit.used'), units(counter.used)],
    [t('limit.held'), units(counter.open)],
    [t('limits.late'), units(counter.late)],
    [t('limits.left'), units(leftOf(counter))],
  ] as const
}

function pacesOf(t: Words, counter: LimitCounter) {
  const { lastHour: hour, lastDay: day, lastWeek: week } = counter
  return [
    [t('pace.inHour'), paceText(t, counter, { hour })],
    [t('pace.inDay'), day === undefined ? t('closed.notKnown') : unitsText(counter, day.taken, t.locale)],
    [t('pace.inWeek'), week === undefined ? t('closed.notKnown') : unitsText(counter, week.taken, t.locale)],
  ] as const
}

function useBenefitOf(limitId: string) {
  const { benefits } = useProgrammeNames(0)
  return [...benefits.values()].find(({ limits }) => limits?.some((limit) => limit.limitId === limitId))
}

function reservationColumns(
  t: Words,
  counter: LimitCounter,
  onRelease: ((reservation: OpenReservation) => void) | null,
): readonly Column<OpenReservation>[] {
  const columns: Column<OpenReservation>[] = [
    {
      key: 'calculation',
      head: t('calculation.id'),
      cell: ({ calculationId }) => (
        <TextLink
          to="/calculations/$calculationId"
          params={{ calculationId }}
          text={<code>{shortened(calculationId)}</code>}
        />
      ),
    },
    { key: 'units', head: t('limit.held'), cell: ({ units }) => unitsText(counter, units, t.locale), isNumber: true },
    { key: 'until', head: t('limit.freed'), cell: ({ expiresAt }) => <Time at={expiresAt} /> },
  ]
  if (onRelease === null) return columns
  const release = (reservation: OpenReservation) => (
    <Button onClick={() => onRelease(reservation)} text={t('release.do')} />
  )
  return [...columns, { key: 'release', head: '', cell: release }]
}
