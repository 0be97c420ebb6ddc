import { useVenues } from '../api/venues.js'
import { useWords } from '../i18n/words.js'

/** The options of a filter by venue: any, whose value is empty, then each by its name, else its id. */
export function VenueOptions() {
  const t = useWords()
  return (
    <>
      <option value="">{t('filter.anyVenue')}</option>
      {useVenues().map(({ venueId, name }) => (
        <option key={venueId} value={venueId}>
          {name || venueId}
        </option>
      ))}
    </>
  )
}
