import type { ConnectError } from '@connectrpc/connect'
import { useQuery } from '@connectrpc/connect-query'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import type {
  GetDraftResponse,
  ProgrammeDraft as Stored,
} from '../../../../gateway/gen/loyalty/v1/programme_draft_pb.js'
import { ProgrammeService } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { newId, type ShownError } from '../../api/transport.js'
import { forgetTyped } from '../../parts/use-draft.js'
import { withoutComments } from './builder/json-text.js'
import { openDraft, openDraftId, useOpenDraftId } from './open-draft.js'

/** Text that the service has not stored yet: only that is in the browser, where it survives a reload. */
interface Unsent {
  readonly name: string
  /** The name was changed too: else that of others is taken over. */
  readonly isNamed: boolean
  /** As its writer edits it: JSON, perhaps with comments. */
  readonly text: string
  /** The version that its writers began with or have seen since: it can be published only while this one is in force. 0: none was. */
  readonly baseVersion: number
  /** The stored revision that it was written over; 0: it is new. */
  readonly revision: number
  /** false: just begun, so there is nothing to store. */
  readonly isChanged: boolean
}

export interface ProgrammeDraft extends Unsent {
  readonly draftId: string
  /** As the service reads it, without comments. */
  readonly document: string
  /** The text of `revision`; null: it is new, or not known any more. */
  readonly before: string | null
  readonly isStored: boolean
  /** false: too large for the browser to keep, so a reload before it is stored loses it. */
  readonly isKept: boolean
  /** Why it could not be stored; null: it could, or was not tried. */
  readonly fault: ShownError | null
  /** The stored revision; absent: there is none yet. */
  readonly stored: Stored | undefined
}

export const noteKey = 'publish/note'

interface Edited {
  readonly unsent: Unsent
  readonly before: string | null
  readonly isKept: boolean
  readonly fault: ShownError | null
}

const itemOf = (draftId: string) => `draft/unsent/${draftId}`
const beforeOf = (draftId: string) => `draft/before/${draftId}`
const listeners = new Set<() => void>()
/** By draft; null: there is nothing unsent. */
const edited = new Map<string, Edited | null>()
/** As it was last shown: text typed there is written over its revision. */
let shown: ProgrammeDraft | null = null

/** The open draft, with what the service has not stored of it; null: none is open, or it loads. */
export function useProgrammeDraft(): ProgrammeDraft | null {
  return useOpenDraft().draft
}

interface OpenDraft {
  readonly draft: ProgrammeDraft | null
  readonly isLoading: boolean
  readonly error: ConnectError | null
  refetch(): void
}

export function useOpenDraft(): OpenDraft {
  const draftId = useOpenDraftId()
  const own = useSyncExternalStore(subscribe, () => (draftId === null ? null : editedOf(draftId)))
  const isNew = own?.unsent.revision === 0
  const query = useQuery(
    ProgrammeService.method.getDraft,
    { draftId: draftId ?? '' },
    { enabled: draftId !== null && !isNew, staleTime: Number.POSITIVE_INFINITY },
  )
  const { data } = query
  const draft = useMemo(
    () => (draftId === null ? null : own !== null ? ofEdited(draftId, own, data) : data ? ofStored(data) : null),
    [draftId, own, data],
  )
  useEffect(() => {
    shown = draft
  }, [draft])
  const isLoading = draftId !== null && draft === null && query.isPending
  return { draft, isLoading, error: draft === null && draftId !== null ? query.error : null, refetch: query.refetch }
}

/** Begins a draft; it is stored once it is changed. */
export function beginDraft(begun: Pick<Unsent, 'text' | 'baseVersion' | 'isChanged'>): void {
  const draftId = newId()
  write(draftId, { name: '', isNamed: false, revision: 0, ...begun }, null)
  openDraft(draftId)
}

export function editDraft(text: string): void {
  changeDraft({ text })
}

/** Changes the open draft. @param over  a revision that its writer has seen since, and its text */
export function changeDraft(
  change: Partial<Pick<Unsent, 'name' | 'text' | 'baseVersion'>>,
  over?: { readonly revision: number; readonly before: string },
): void {
  if (shown === null || shown.draftId !== openDraftId()) return
  const { draftId } = shown
  const known = editedOf(draftId)
  const { name, text, baseVersion, revision, isNamed } = known?.unsent ?? shown
  const before = known === null ? shown.before : known.before
  const isRenamed = isNamed || change.name !== undefined
  const next = { name, text, baseVersion, revision, ...change, isNamed: isRenamed, isChanged: true }
  if (over === undefined) write(draftId, next, before, known?.fault ?? null)
  else write(draftId, { ...next, revision: over.revision }, over.before)
}

/** Goes on with the text as a draft of its own, because the stored one was changed by others or is gone. */
export function splitDraft(): void {
  if (shown === null) return
  const { draftId, name, text, baseVersion } = shown
  const next = newId()
  write(next, { name, isNamed: true, text, baseVersion, revision: 0, isChanged: true }, null)
  openDraft(next)
  drop(draftId)
}

/** The draft is published or thrown away. */
export function closeDraft(draftId: string): void {
  drop(draftId)
  if (openDraftId() === draftId) openDraft(null)
  forgetTyped(noteKey)
}

/** Changed text that is to be stored; null: there is none. */
export function unsentOf(draftId: string): Unsent | null {
  const unsent = editedOf(draftId)?.unsent
  return unsent?.isChanged ? unsent : null
}

/** Notes that a text is stored; what was typed since is over its revision. */
export function noteStored(draftId: string, sent: Unsent, stored: Stored): void {
  const now = editedOf(draftId)
  if (now === null) return
  const { revision } = stored
  if (now.unsent !== sent) {
    write(draftId, { ...now.unsent, revision }, sent.text)
    return
  }
  if (shown?.draftId === draftId) shown = { ...shown, revision, before: sent.text, isStored: true }
  drop(draftId)
}

export function noteFault(draftId: string, fault: ShownError | null): void {
  const now = editedOf(draftId)
  if (now === null || now.fault === fault) return
  edited.set(draftId, { ...now, fault })
  notify()
}

export function draftSubject({ document, baseVersion }: ProgrammeDraft): Subject {
  return { key: 'programme/draft', document, baseVersion }
}

function ofEdited(draftId: string, { unsent, ...rest }: Edited, data: GetDraftResponse | undefined): ProgrammeDraft {
  const { text } = unsent
  return { draftId, ...unsent, ...rest, document: documentOf(text), isStored: false, stored: data?.draft }
}

function ofStored({ draft, document: text }: GetDraftResponse): ProgrammeDraft {
  const { draftId, name, baseVersion, revision } = draft!
  const content = { draftId, name, text, document: documentOf(text), before: text, baseVersion, revision }
  return { ...content, isNamed: false, isChanged: true, isStored: true, isKept: true, fault: null, stored: draft }
}

let last = { text: '', document: '' }

/** Several parts of a screen ask for the same text. */
function documentOf(text: string): string {
  if (last.text !== text) last = { text, document: withoutComments(text) }
  return last.document
}

function write(draftId: string, unsent: Unsent, before: string | null, fault: ShownError | null = null): void {
  const known = edited.get(draftId)
  const isSame = known?.before === before && known.isKept
  const isKept =
    keep(itemOf(draftId), JSON.stringify(unsent)) && (isSame || before === null || keep(beforeOf(draftId), before))
  edited.set(draftId, { unsent, before, isKept, fault })
  notify()
}

function keep(item: string, text: string): boolean {
  try {
    localStorage.setItem(item, text)
    return true
  } catch {
    localStorage.removeItem(item)
    return false
  }
}

function drop(draftId: string): void {
  localStorage.removeItem(itemOf(draftId))
  localStorage.removeItem(beforeOf(draftId))
  edited.set(draftId, null)
  notify()
}

function editedOf(draftId: string): Edited | null {
  const known = edited.get(draftId)
  if (known !== undefined) return known
  const kept = localStorage.getItem(itemOf(draftId))
  const before = localStorage.getItem(beforeOf(draftId))
  const read = kept === null ? null : { unsent: JSON.parse(kept) as Unsent, before, isKept: true, fault: null }
  edited.set(draftId, read)
  return read
}

function notify(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** A programme that is not in force but open on a screen: a draft, or a proposal. */
export interface Subject {
  /** Key under which typed text about it survives a reload. */
  readonly key: string
  readonly document: string
  /** The version it was begun with; 0: none was published. */
  readonly baseVersion: number
}
