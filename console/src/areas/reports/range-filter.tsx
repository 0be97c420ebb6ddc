import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useVenueDay } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { Button, VenueSelect } from '../../parts/controls.js'
import { DayField } from '../../parts/day-field.js'
import { presetsAt, type Range } from './range.js'

interface RangeFilterProps {
  readonly range: Range
  /** Asks for the days to compare with too. */
  readonly isCompared?: boolean
}

/** The days and the venue of figures, kept in the address. */
export function RangeFilter({ range, isCompared = false }: RangeFilterProps) {
  const t = useWords()
  const navigate = useNavigate()
  const presets = presetsAt(useVenueDay())
  const { from, until, against } = range
  const [typed, setTyped] = useState({ from, until, against })
  const set = (change: Partial<Range>) => {
    const { venueId, against: compared, ...days } = { ...range, ...typed, ...change }
    const more = { ...(venueId === '' ? {} : { venueId }), ...(compared === '' ? {} : { against: compared }) }
    void navigate({ to: '.', search: { ...days, ...more } })
  }
  const day = (name: 'from' | 'until' | 'against') => ({
    value: typed[name],
    onText: (text: string) => setTyped({ ...typed, [name]: text }),
  })
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        set({})
      }}
    >
      <div className="row">
        <DayField label={t('reports.from')} {...day('from')} required />
        <DayField label={t('reports.until')} {...day('until')} required />
        {isCompared && (
          <DayField label={t('reports.against')} placeholder={t('reports.daysBefore')} {...day('against')} />
        )}
        <VenueSelect label={t('sale.venue')} value={range.venueId} onText={(venueId) => set({ venueId })} />
        <Button type="submit" text={t('reports.show')} />
      </div>
      <div className="flow">
        {presets.map(({ name, ...days }) => (
          <Button
            key={name}
            aria-pressed={days.from === from && days.until === until}
            onClick={() => set({ ...days, against: '' })}
            text={t.of('preset', name)}
          />
        ))}
      </div>
    </form>
  )
}
