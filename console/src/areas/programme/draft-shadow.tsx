import { draftSubject, useProgrammeDraft } from './draft-store.js'
import { ShadowScreen } from './shadow/shadow-screen.js'

/** Prices past baskets with the draft of this browser. */
export function DraftShadow() {
  const draft = useProgrammeDraft()
  return draft === null ? null : <ShadowScreen subject={draftSubject(draft)} />
}
