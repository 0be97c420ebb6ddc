import { useState } from 'react'
import { Discrepancy } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import type { MoveSaleResponse } from '../../../../gateway/gen/loyalty/v1/sale_claim_pb.js'
import type { Sale } from '../../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { findMember, memberRef, useProgrammeNames } from '../../api/programme.js'
import { newId } from '../../api/transport.js'
import { useCommands } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { Button, Field } from '../../parts/controls.js'
import { ErrorPanel } from '../../parts/states.js'
import { useDraft } from '../../parts/use-draft.js'
import { wordOf } from '../../parts/values.js'
import { valueText } from '../calculations/reasons.js'
import { ReturnedValues } from './return-dialog.js'

/** Settles the discrepancies of a sale; the reason is its note. */
export function SettleDialog({ sale, onClose }: { readonly sale: Sale; readonly onClose: () => void }) {
  const t = useWords()
  const { sales } = useCommands()
  const { calculationId } = sale
  // Frozen: one that comes while the dialog is open was not read.
  const [discrepancies] = useState(sale.discrepancies)
  return (
    <CommandDialog
      title={t('settle.title')}
      verb={t('settle.do')}
      draftKey={`settle/${calculationId}`}
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        await sales.settleDiscrepancies({ requestId, calculationId, reason, discrepancies })
        return <p>{t('settle.done')}</p>
      }}
    >
      <p>{t('settle.what')}</p>
      <ul className="box">
        {discrepancies.map((one) => (
          <li key={one}>{wordOf(t, 'discrepancy', Discrepancy, one)}</li>
        ))}
      </ul>
    </CommandDialog>
  )
}

/** Moves a sale to the right member, after what a dry run says. */
export function MoveDialog({ sale, onClose }: { readonly sale: Sale; readonly onClose: () => void }) {
  const t = useWords()
  const { members } = useCommands()
  const { calculationId } = sale
  const [to, setTo] = useDraft(`move/${calculationId}/to`, '')
  const [tried, setTried] = useState<Tried | null>(null)
  const typed = to.trim()

  async function dryRun() {
    try {
      const { memberId } = (await findMember(members, typed)).member!
      const request = { requestId: newId(), calculationId, to: memberRef(memberId), dryRun: true }
      setTried({ typed, memberId, answer: await members.moveSale(request) })
    } catch (cause) {
      setTried({ typed, cause })
    }
  }

  const isTried = tried !== null && 'answer' in tried && tried.typed === typed
  return (
    <CommandDialog
      title={t('move.title')}
      verb={t('move.do')}
      draftKey={`move/${calculationId}`}
      isReady={isTried}
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        const { memberId } = tried as Moving
        const answer = await members.moveSale({ requestId, calculationId, to: memberRef(memberId), reason })
        return (
          <>
            <p>{t('move.done', { member: memberId })}</p>
            <Moved memberId={memberId} answer={answer} />
          </>
        )
      }}
    >
      <p>{t('move.what')}</p>
      <Field label={t('move.card')} value={to} required onText={setTo} />
      <Button onClick={() => void dryRun()} disabled={typed === ''} text={t('move.dryRun')} />
      {tried !== null && 'cause' in tried && <ErrorPanel cause={tried.cause} />}
      {isTried && <Moved {...tried} />}
    </CommandDialog>
  )
}

interface Moving {
  readonly memberId: string
  readonly answer: MoveSaleResponse
}

type Tried = { readonly typed: string } & (Moving | { readonly cause: unknown })

function Moved({ memberId, answer }: Moving) {
  const t = useWords()
  const names = useProgrammeNames(0)
  const { takenBack, givenBack, given } = answer
  return (
    <div className="box" role="status">
      <p>{t('move.from')}</p>
      {takenBack.length + givenBack.length === 0 && <p className="muted">{t('move.nothing')}</p>}
      <ReturnedValues takenBack={takenBack} givenBack={givenBack} />
      <p>{t('move.to', { member: memberId })}</p>
      {given.length === 0 && <p className="muted">{t('move.nothing')}</p>}
      {given.map(({ currencyId, amount }) => (
        <p key={currencyId} className="gained">
          {t('move.given', { value: valueText({ t, names }, currencyId, amount) })}
        </p>
      ))}
    </div>
  )
}
