import { draftSubject, useProgrammeDraft } from './draft-store.js'
import { TryScreen } from './try/try-screen.js'

/** Tries baskets with the draft of this browser. */
export function DraftTry() {
  const draft = useProgrammeDraft()
  return draft === null ? null : <TryScreen subject={draftSubject(draft)} />
}
