import { useQuery } from '@connectrpc/connect-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { LimitCounts, LimitScope } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import type { LimitCounter } from '../../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { ProgrammeService } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useCommands, useReviewRequired } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { Button, Field } from '../../parts/controls.js'
import { digitsOf, readScaled } from '../../parts/scaled.js'
import { ErrorPanel, Skeleton } from '../../parts/states.js'
import { useDraft, useSettled } from '../../parts/use-draft.js'
import { itemsOf, readJson, textIn, withValue } from '../programme/builder/json-text.js'
import { Changes } from '../programme/changes.js'
import { beginDraft, useOpenDraft } from '../programme/draft-store.js'
import { Proposed } from '../programme/publish-dialog.js'
import { useDocument, useNewest } from '../programme/use-document.js'
import { useWorstChecks } from '../programme/worst/worst-checks.js'
import { takenOf, unitsText } from './units.js'

/** Publishes the programme in force with a higher maximum of one limit and no other change, or makes that a draft. */
export function RaiseDialog({ counter, onClose }: { readonly counter: LimitCounter; readonly onClose: () => void }) {
  const t = useWords()
  const { programmes } = useCommands()
  const isReviewed = useReviewRequired()
  const { limitId, maximum: before, counts, currency } = counter
  const scale = counts === LimitCounts.AMOUNT && currency !== '' ? digitsOf(currency) : 0
  const [typed, setTyped] = useDraft(`raise/${limitId}/maximum`, '')
  const maximum = useSettled(readScaled(typed, scale))
  const isHigher = maximum !== null && maximum > before && maximum <= Number.MAX_SAFE_INTEGER
  const { base, document } = useBase()
  const raised = useMemo(
    () => (document === null || !isHigher ? null : withMaximum(document, limitId, maximum)),
    [document, limitId, isHigher, maximum],
  )
  const diff = useQuery(
    ProgrammeService.method.diffProgrammes,
    { baseVersion: base ?? 0, changed: { case: 'draftDocument', value: raised ?? '' } },
    { enabled: raised !== null, staleTime: 0, gcTime: 0 },
  )
  const worst = useWorstChecks(raised)
  const units = (amount: bigint) => unitsText(counter, amount, t.locale)
  return (
    <CommandDialog
      title={t('raise.title', { limitId })}
      verb={t(isReviewed ? 'propose.do' : 'publish.do')}
      draftKey={`raise/${limitId}`}
      withReason={false}
      refresh="published"
      isReady={diff.isSuccess && isReviewed !== undefined && worst.isReady && readScaled(typed, scale) === maximum}
      onClose={onClose}
      run={async ({ requestId }) => {
        const acknowledgements = [...worst.acknowledgements]
        const terms = { requestId, document: raised!, expectedVersion: base!, acknowledgements }
        if (isReviewed) {
          const { proposalId } = await programmes.proposeProgramme(terms)
          return <Proposed proposalId={proposalId} />
        }
        const reply = await programmes.publishProgramme(terms)
        return <p>{t('raise.done', { limitId, maximum: units(maximum!), version: String(reply.version) })}</p>
      }}
    >
      <p>{t('raise.now', { taken: units(takenOf(counter)), maximum: units(before) })}</p>
      <Field
        label={t(scale === 0 ? 'raise.maximum' : 'raise.maximumIn', { currency })}
        inputMode="decimal"
        value={typed}
        required
        onText={setTyped}
      />
      {base === null && <Skeleton lines={2} />}
      {base !== null && document === null && <p>{t('raise.tooLarge')}</p>}
      {isHigher ? (
        <div className="box" role="status">
          <p>{t(moreKeys[counter.scope], { more: units(maximum - before) })}</p>
          {counter.period !== '' && <p>{t('raise.stays')}</p>}
          <p>{isReviewed ? t('propose.required') : t('raise.publishes', { next: String((base ?? 0) + 1) })}</p>
          {diff.isSuccess && <Changes {...diff.data} base={document} changed={raised} />}
          {worst.checks}
        </div>
      ) : (
        typed !== '' && <p className="muted">{t('raise.higher', { maximum: units(before) })}</p>
      )}
      {diff.isError && <ErrorPanel cause={diff.error} />}
      {raised !== null && base !== null && <ToDraft document={raised} baseVersion={base} />}
    </CommandDialog>
  )
}

const moreKeys = {
  [LimitScope.UNSPECIFIED]: 'raise.more',
  [LimitScope.EVERYONE]: 'raise.more',
  [LimitScope.VENUE]: 'raise.moreVenues',
  [LimitScope.MEMBER]: 'raise.moreMembers',
} as const

/** The version in force and its text; null: not loaded yet, or too large to be edited here. */
function useBase() {
  const { data } = useNewest()
  const document = useDocument(data?.programme)
  return { base: data?.programme?.version ?? null, document }
}

function ToDraft({ document, baseVersion }: { readonly document: string; readonly baseVersion: number }) {
  const t = useWords()
  const navigate = useNavigate()
  const { draft, isLoading } = useOpenDraft()
  const begin = () => {
    beginDraft({ text: document, baseVersion, isChanged: true })
    void navigate({ to: '/programme/draft' })
  }
  return (
    <p>
      {draft !== null ? (
        <span className="muted">{t('raise.hasDraft')}</span>
      ) : (
        <Button disabled={isLoading} onClick={begin} text={t('raise.toDraft')} />
      )}
    </p>
  )
}

/** A programme with another maximum of one limit; every other character stays. null: it has no such limit. */
function withMaximum(document: string, limitId: string, maximum: bigint): string | null {
  for (const [at, benefit] of itemsOf(readJson(document), ['benefits']).entries()) {
    const place = itemsOf(benefit, ['limits']).findIndex((limit) => textIn(limit, 'limitId') === limitId)
    if (place !== -1) return withValue(document, ['benefits', at, 'limits', place, 'maximum'], String(maximum))
  }
  return null
}
