import { useNavigate } from '@tanstack/react-router'
import { withoutComments } from '../programme/builder/json-text.js'
import { beginDraft, editDraft, useOpenDraft } from '../programme/draft-store.js'
import { useDocument, useNewest } from '../programme/use-document.js'
import { type Fragment, placeIn, withFragment } from './edit-programme.js'

/** Opens benefits in the draft; without one it begins with the version in force. null: that loads, or is too large. */
export function useDraftWith() {
  const navigate = useNavigate()
  const { draft, isLoading } = useOpenDraft()
  const programme = useNewest().data?.programme
  const inForce = useDocument(programme)
  const text = draft?.text ?? inForce
  const version = draft?.baseVersion ?? programme?.version
  if (isLoading || text === null || version === undefined) return null
  const show = (entry: number) => void navigate({ to: '/programme/draft', search: { part: 'benefits', entry } })
  return {
    add(fragment: Fragment) {
      const changed = withFragment(text, fragment)
      if (draft === null) beginDraft({ text: changed, baseVersion: version, isChanged: true })
      else editDraft(changed)
      const { benefits } = JSON.parse(withoutComments(changed)) as Fragment
      show(benefits.length - fragment.benefits.length)
    },
    /** null: the draft has no such benefit. */
    opener(benefitId: string) {
      const place = placeIn(text, benefitId)
      if (place === -1) return null
      return () => {
        if (draft === null) beginDraft({ text, baseVersion: version, isChanged: false })
        show(place)
      }
    },
  }
}
