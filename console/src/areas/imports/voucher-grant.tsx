import { useQuery } from '@connectrpc/connect-query'
import { useEffect, useRef, useState } from 'react'
import { ReportService, SumsBy } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { RewardService, type Segment } from '../../../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { nowMs } from '../../api/clock.js'
import { useProgrammeNames } from '../../api/programme.js'
import { newId } from '../../api/transport.js'
import { callOf, rolesOf, useAccess, useChanged, useCommands } from '../../api/use-commands.js'
import { dayIn, useHouseZone } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { Button, Field, Select, TextLink } from '../../parts/controls.js'
import { Page } from '../../parts/page.js'
import { countText } from '../../parts/scaled.js'
import { Empty, ErrorPanel, NoPermission, Skeleton, Waiting } from '../../parts/states.js'
import { useDraft } from '../../parts/use-draft.js'
import { moneyText, valueText } from '../calculations/reasons.js'
import { useWorth, type Worth } from '../members/worth.js'
import styles from './imports.module.css'

const method = RewardService.method.issueVouchers

export function VoucherGrant() {
  const t = useWords()
  const access = useAccess()(callOf(method))
  if (access === undefined) return <Skeleton />
  return <Page title={t('vouchers.open')}>{access ? <Grant /> : <NoPermission roles={rolesOf(method).join()} />}</Page>
}

type State =
  | { readonly kind: 'asking' }
  | { readonly kind: 'running' | 'stopped' | 'done'; readonly given: number; readonly of: number }

/** Gives vouchers to a segment, a part of it a call. */
function useGrant() {
  const { rewards } = useCommands()
  const { changed } = useChanged()
  const [state, setState] = useState<State>({ kind: 'asking' })
  const [fault, setFault] = useState<unknown>(null)
  const isStopped = useRef(false)
  useEffect(
    () => () => {
      isStopped.current = true
    },
    [],
  )

  async function give(request: object, of: number) {
    isStopped.current = false
    setFault(null)
    let given = 0
    let afterMemberId = ''
    setState({ kind: 'running', given, of })
    try {
      do {
        // A repeat of a call whose answer was lost passes over those who have got theirs: the grant knows them.
        const page = await rewards.issueVouchers({ ...request, requestId: newId(), afterMemberId })
        given += page.members
        afterMemberId = page.nextAfterMemberId
        setState({ kind: 'running', given, of })
      } while (afterMemberId !== '' && !isStopped.current)
      setState({ kind: afterMemberId === '' ? 'done' : 'stopped', given, of })
    } catch (cause) {
      setFault(cause)
      setState({ kind: 'stopped', given, of })
    }
    await changed()
  }
  const stop = () => {
    isStopped.current = true
  }
  return { state, fault, give, stop }
}

function Grant() {
  const t = useWords()
  const [segmentId, setSegmentId] = useDraft('vouchers/segment', '')
  const [grant, setGrant] = useDraft('vouchers/grant', '')
  const [reason, setReason] = useDraft('vouchers/reason', '')
  const { fields, worth } = useWorth('vouchers')
  const { state, fault, give, stop } = useGrant()
  // Asked once the field is left: the service reads every member.
  const [name, setName] = useState(grant.trim())
  const query = useQuery(RewardService.method.listSegments, { grant: name }, { placeholderData: (before) => before })
  if (!query.isSuccess) return <Waiting query={query} />
  const { segments } = query.data
  if (segments.length === 0) return <Empty why={t('vouchers.none')}>{t('vouchers.noneWhat')}</Empty>
  const segment = segments.find((one) => one.segmentId === segmentId)
  const left = segment === undefined ? 0 : Number(segment.members - segment.granted)
  const isNamed = name !== '' && name === grant.trim() && !query.isPlaceholderData
  const isReady = left > 0 && worth !== null && isNamed && reason.trim() !== ''
  const textOf = ({ segmentId: id, members }: Segment) => t('vouchers.option', { segment: id, count: Number(members) })
  const isRunning = state.kind === 'running'
  return (
    <>
      <p className={styles['lead']}>{t('vouchers.what')}</p>
      <fieldset className={styles['form']} disabled={isRunning}>
        <Select
          label={t('try.segment')}
          value={segment?.segmentId ?? ''}
          required
          onText={setSegmentId}
          options={[['', t('adjust.choose')], ...segments.map((one) => [one.segmentId, textOf(one)] as const)]}
        />
        {fields}
        <Field
          label={t('vouchers.grant')}
          value={grant}
          maxLength={64}
          required
          onText={setGrant}
          onBlur={() => setName(grant.trim())}
        />
        <Field label={t('dialog.reason')} value={reason} maxLength={128} required onText={setReason} />
      </fieldset>
      {segment !== undefined && worth !== null && <Preview segment={segment} worth={worth} left={left} />}
      {state.kind !== 'asking' && <Given state={state} />}
      {fault !== null && <ErrorPanel cause={fault} />}
      <div className="row">
        {isRunning ? (
          <Button onClick={stop} text={t('shadow.stop')} />
        ) : (
          <Button
            data-main
            disabled={!isReady}
            onClick={() =>
              void give({ ...worth!.request, segment: segmentId, grant: name, reason: reason.trim() }, left)
            }
            text={t('vouchers.do', { count: left })}
          />
        )}
        {state.kind !== 'asking' && !isRunning && (
          <TextLink
            to="/system/audit"
            search={{ call: callOf(method) }}
            className="button"
            text={t('vouchers.audit')}
          />
        )}
      </div>
    </>
  )
}

const saidOf = { running: 'vouchers.running', stopped: 'vouchers.stopped', done: 'vouchers.done' } as const

function Given({ state: { kind, given, of } }: { readonly state: Exclude<State, { readonly kind: 'asking' }> }) {
  const t = useWords()
  return (
    <div className={styles['progress']}>
      {kind === 'running' && <progress value={given} max={Math.max(of, 1)} aria-label={t('vouchers.progress')} />}
      <p role="status">{t(saidOf[kind], { given: countText(t, given), of: countText(t, of) })}</p>
    </div>
  )
}

interface PreviewProps {
  readonly segment: Segment
  readonly worth: Worth
  readonly left: number
}

/** The number of members, the sum and its cost. */
function Preview({ segment, worth, left }: PreviewProps) {
  const t = useWords()
  const names = useProgrammeNames(0)
  const value = (amount: bigint) => valueText({ t, names }, worth.currency.currencyId, amount)
  const sum = worth.amount * BigInt(left)
  return (
    <div className="box" role="status">
      <p>{t('vouchers.change', { count: left, each: value(worth.amount), sum: value(sum) })}</p>
      {segment.granted > 0n && <p>{t('vouchers.granted', { count: Number(segment.granted) })}</p>}
      <Cost currencyId={worth.currency.currencyId} sum={sum} />
    </div>
  )
}

const daysCounted = 28
const dayMs = 86_400_000

/** The dearest use of this value, by what its benefits gave for it lately. */
function Cost({ currencyId, sum }: { readonly currencyId: string; readonly sum: bigint }) {
  const t = useWords()
  const { benefits } = useProgrammeNames(0)
  const zone = useHouseZone()
  const [fromDay, untilDay] = [dayIn(zone, nowMs() - daysCounted * dayMs), dayIn(zone, nowMs())]
  const query = useQuery(ReportService.method.reportSums, { fromDay, untilDay, by: [SumsBy.BENEFIT] })
  const uses = (query.data?.benefits ?? []).flatMap(({ benefitId, redemptions, discount, currency }) => {
    const benefit = benefits.get(benefitId)
    if (benefit?.costs?.currencyId !== currencyId || redemptions === 0n) return []
    const cost = (discount * sum) / (redemptions * BigInt(benefit.costs.amount))
    return [{ text: benefit.text, cost, currency, each: discount / redemptions }]
  })
  const [dearest] = uses.toSorted((one, other) => Number(other.cost - one.cost))
  if (!query.isSuccess) return null
  if (dearest === undefined) return <p className="muted">{t('vouchers.noCost', { count: daysCounted })}</p>
  const money = (minor: bigint) => moneyText({ t, currency: dearest.currency }, minor)
  const values = { cost: money(dearest.cost), each: money(dearest.each), benefit: dearest.text, count: daysCounted }
  return <p>{t('vouchers.cost', values)}</p>
}
