import { useState } from 'react'
import type { BenefitPart } from '../../api/programme.js'
import { useVenues } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { Button, Dialog } from '../../parts/controls.js'
import { DayField } from '../../parts/day-field.js'
import { withLocal } from '../../parts/offsets.js'
import { PublishDialog } from '../programme/publish-dialog.js'
import { withBenefitField } from './edit-programme.js'

export interface ChangeProps {
  readonly benefit: BenefitPart
  /** The version in force, and its document. */
  readonly version: number
  readonly document: string
  readonly onClose: () => void
}

/** Publishes, or proposes, the programme in force with the benefit switched off, or on again. */
export function PauseDialog({ benefit: { benefitId, text, enabled }, version, document, onClose }: ChangeProps) {
  const t = useWords()
  const isPaused = enabled === false
  const changed = withBenefitField(document, benefitId, ['enabled', isPaused])
  return (
    <PublishDialog
      title={t(isPaused ? 'benefits.resumeTitle' : 'benefits.pauseTitle', { name: text })}
      draft={{ document: changed, baseVersion: version }}
      onClose={onClose}
    />
  )
}

/** Asks for the end, then publishes or proposes the programme in force with it. */
export function EndDialog({ benefit, version, document, onClose }: ChangeProps) {
  const t = useWords()
  const { benefitId, text, venueIds } = benefit
  const venues = useVenues()
  // As in the sentence of the benefit.
  const zone = venues.find(({ venueId }) => venueIds?.includes(venueId) ?? true)?.timeZone ?? 'UTC'
  const [local, setLocal] = useState('')
  const [isChosen, setChosen] = useState(false)
  const title = t('benefits.endTitle', { name: text })
  if (isChosen) {
    const changed = withBenefitField(document, benefitId, ['validUntil', withLocal('', local, zone)])
    return <PublishDialog title={title} draft={{ document: changed, baseVersion: version }} onClose={onClose} />
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          setChosen(true)
        }}
      >
        <p>{t('benefits.endWhat')}</p>
        <DayField label={t('benefits.endAt', { zone })} value={local} withTime required onText={setLocal} />
        <div className="end">
          <Button onClick={onClose} text={t('dialog.cancel')} />
          <Button type="submit" data-main disabled={local === ''} text={t('benefits.next')} />
        </div>
      </form>
    </Dialog>
  )
}
