import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { newId } from '../api/new-id.js'
import { useWords } from '../i18n/words.js'
import styles from './command-dialog.module.css'
import { ErrorPanel } from './error-panel.js'
import { useDraft } from './use-draft.js'

/** What a command gets: one id for every attempt of the same change, and why it is made. */
export interface Command {
  /** UUID: an attempt that is repeated is the same change. */
  readonly requestId: string
  readonly reason: string
}

interface CommandDialogProps {
  readonly title: string
  /** What will change, in numbers, and the fields of the command. */
  readonly children: ReactNode
  /** The word on the button. */
  readonly verb: string
  /** Whether what is filled in makes a command. */
  readonly isReady?: boolean
  /** Under which name the reason survives a reload. */
  readonly draftKey: string
  /** false: the service stores no reason for this change, so none is asked for. */
  readonly withReason?: boolean
  /** Makes the change; resolves to what became of it. */
  readonly run: (command: Command) => Promise<ReactNode>
  readonly onClose: () => void
}

/** Bounds of a reason, as the services have them. */
const reasonCharactersMax = 128

/** Asks for a reason where one is stored, makes one change, and says what became of it. The same request id serves every attempt. */
export function CommandDialog(props: CommandDialogProps) {
  const { title, children, verb, isReady = true, draftKey, withReason = true, run, onClose } = props
  const t = useWords()
  const [reason, setReason, forgetReason] = useDraft(`${draftKey}/reason`, '')
  const [requestId] = useState(newId)
  const [state, setState] = useState<{ readonly kind: 'asking' | 'running' } | Failed | Done>({ kind: 'asking' })

  const lacksReason = withReason && reason.trim() === ''

  async function submit(event: FormEvent) {
    event.preventDefault()
    setState({ kind: 'running' })
    try {
      const outcome = await run({ requestId, reason: reason.trim() })
      forgetReason()
      setState({ kind: 'done', outcome })
    } catch (cause) {
      setState({ kind: 'failed', cause })
    }
  }

  if (state.kind === 'done') {
    return (
      <Dialog title={title} onClose={onClose}>
        <div role="status">{state.outcome}</div>
        <div className={styles['buttons']}>
          <button type="button" data-main onClick={onClose}>
            {t('dialog.close')}
          </button>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit} className={styles['form']}>
        {children}
        {withReason && (
          <label>
            {t('dialog.reason')}
            <input
              value={reason}
              onChange={(event) => setReason(event.target.value)}
              maxLength={reasonCharactersMax}
              required
            />
          </label>
        )}
        {state.kind === 'failed' && <ErrorPanel cause={state.cause} />}
        <div className={styles['buttons']}>
          <button type="button" onClick={onClose}>
            {t('dialog.cancel')}
          </button>
          <button type="submit" data-main disabled={!isReady || lacksReason || state.kind === 'running'}>
            {verb}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

interface Failed {
  readonly kind: 'failed'
  readonly cause: unknown
}
interface Done {
  readonly kind: 'done'
  readonly outcome: ReactNode
}

interface DialogProps {
  readonly title: string
  readonly children: ReactNode
  readonly onClose: () => void
}

/** A dialog that holds the focus, and gives it back where it was; Escape closes it. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      // Escape has given it back already, and it may have moved on since.
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog ref={dialog} className={styles['dialog']} aria-labelledby={titleId} onClose={onClose}>
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  )
}
