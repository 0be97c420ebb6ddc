import { useQuery } from '@connectrpc/connect-query'
import { type FormEvent, useState } from 'react'
import {
  CalculationService,
  type CalculationSummary,
  type SimulateBasketResponse,
} from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationStatus, UnchangedReason } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { ProgrammeService } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { pageSize } from '../../api/use-pages.js'
import { useVenueZone } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Button, Field, Select } from '../../parts/controls.js'
import { FormDayField } from '../../parts/day-field.js'
import { withLocal } from '../../parts/offsets.js'
import { Part } from '../../parts/page.js'
import { ErrorPanel, Skeleton } from '../../parts/states.js'
import { wordOf } from '../../parts/values.js'
import styles from './calculations.module.css'
import { type Receipt, receiptOfMessage } from './read-basket.js'
import { moneyText, occasionOf, useReasonContext } from './reasons.js'
import { Receipts } from './receipts.js'
import { BenefitReasons } from './why.js'

interface AsIfProps {
  readonly calculation: CalculationSummary
  readonly requestJson: string
  readonly before: Receipt
}

interface Supposed {
  /** Empty: no member. */
  readonly loyaltyId: string
  /** RFC 3339; empty: the time of the basket. */
  readonly at: string
  /** 0: the one in force. */
  readonly version: number
  readonly ignoreLimits: boolean
}

/** Prices the same basket for another member, at another time, or with another version. Nothing is stored or held. */
export function AsIf({ calculation, requestJson, before }: AsIfProps) {
  const t = useWords()
  const [tried, setTried] = useState<Supposed | null>(null)
  const { loyaltyId = '', at = '', version = 0, ignoreLimits = false } = tried ?? {}
  const query = useQuery(
    CalculationService.method.simulateBasket,
    {
      bodyJson: requestJson,
      loyaltyId,
      ignoreLimits,
      ...(at === '' ? {} : { requestedAt: at }),
      ...(version === 0 ? {} : { programme: { case: 'programmeVersion', value: version } as const }),
    },
    { enabled: tried !== null, staleTime: 0 },
  )
  return (
    <Part title={t('asIf.title')}>
      <Form calculation={calculation} onTry={setTried} />
      {tried !== null && query.isPending && <Skeleton lines={4} />}
      {tried !== null && query.isError && <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />}
      {tried !== null && query.isSuccess && (
        <Outcome answer={query.data} calculation={calculation} before={before} at={at} />
      )}
    </Part>
  )
}

interface FormProps {
  readonly calculation: CalculationSummary
  readonly onTry: (supposed: Supposed) => void
}

function Form({ calculation, onTry }: FormProps) {
  const t = useWords()
  const zone = useVenueZone(calculation.venueId)
  const { programmeVersion } = calculation
  const { data } = useQuery(ProgrammeService.method.listProgrammes, { pageSize })
  const published = data?.programmes.map(({ version }) => version) ?? []
  const versions = published.includes(programmeVersion) ? published : [programmeVersion, ...published]
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const typed = (name: string) => String(form.get(name) ?? '')
    onTry({
      loyaltyId: typed('loyaltyId').trim(),
      at: withLocal('', typed('at'), zone),
      version: Number(typed('version')),
      ignoreLimits: typed('limits') === 'unused',
    })
  }
  return (
    <form onSubmit={submit} className={styles['asIf']}>
      <Field label={t('asIf.loyaltyId')} name="loyaltyId" defaultValue={calculation.loyaltyId ?? ''} maxLength={64} />
      <FormDayField label={t('asIf.at')} name="at" title={zone} withTime />
      <Select
        label={t('calculation.programme')}
        name="version"
        defaultValue={programmeVersion}
        key={versions.length}
        options={[
          [0, t('asIf.inForce')],
          ...versions
            .filter((version) => version !== 0)
            .map(
              (version) =>
                [version, version === programmeVersion ? t('asIf.versionThen', { version }) : version] as const,
            ),
        ]}
      />
      <Select
        label={t('asIf.limits')}
        name="limits"
        options={[
          ['now', t('asIf.limitsNow')],
          ['unused', t('asIf.limitsUnused')],
        ]}
      />
      <Button type="submit" data-main text={t('try.do')} />
    </form>
  )
}

interface OutcomeProps extends Pick<AsIfProps, 'calculation' | 'before'> {
  readonly answer: SimulateBasketResponse
  readonly at: string
}

function Outcome({ answer, calculation, before, at }: OutcomeProps) {
  const t = useWords()
  const { currency, venueId, requestedAt } = calculation
  const { status, programmeVersion } = answer
  const after = answer.basket === undefined ? before : receiptOfMessage(answer.basket)
  const names = useProgrammeNames(programmeVersion === 0 ? undefined : programmeVersion)
  const products = before.lines.map(({ productId }) => productId)
  const context = useReasonContext({ names, currency, products, venueId })
  return (
    <>
      <p role="status">
        {outcomeText(t, answer)} {differenceText(t, calculation, after.net)}
      </p>
      <Receipts before={before} after={after} currency={currency} venueId={venueId} label={t('asIf.title')} />
      <BenefitReasons
        status={status}
        reports={answer.explanation}
        context={context}
        closed={answer.closed}
        occasion={occasionOf({ requestedAt: at || requestedAt }, answer.buyer)}
      />
    </>
  )
}

function outcomeText(t: Words, { status, reason, programmeVersion }: SimulateBasketResponse): string {
  const word = wordOf(t, 'status', CalculationStatus, status)
  const why = status === CalculationStatus.UNCHANGED ? `: ${wordOf(t, 'unchanged', UnchangedReason, reason)}` : ''
  const by = programmeVersion === 0 ? '' : ` (${t('asIf.by', { version: programmeVersion })})`
  return `${word}${why}${by}.`
}

function differenceText(t: Words, { netAfter, currency }: CalculationSummary, net: number): string {
  const more = BigInt(net) - netAfter
  if (more === 0n) return t('asIf.same')
  const size = moneyText({ t, currency }, more < 0n ? -more : more)
  return t(more < 0n ? 'asIf.less' : 'asIf.more', { size })
}
