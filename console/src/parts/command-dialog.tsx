import { useQuery } from '@connectrpc/connect-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { newId } from '../api/transport.js'
import { useChanged } from '../api/use-commands.js'
import { useWords, type Words } from '../i18n/words.js'
import styles from './command-dialog.module.css'
import { Button, Dialog, Field } from './controls.js'
import { ErrorPanel } from './states.js'
import { forgetTyped, useDraft } from './use-draft.js'
import { Time } from './values.js'

export interface Command {
  /** UUID: a repeated attempt is the same change. */
  readonly requestId: string
  readonly reason: string
}

interface CommandDialogProps {
  readonly title: string
  readonly children: ReactNode
  readonly verb: string
  readonly isReady?: boolean
  readonly draftKey: string
  /** false: the service stores no reason for this change. */
  readonly withReason?: boolean
  /** true: the fields above it are filled in already. */
  readonly startsAtReason?: boolean
  readonly refresh?: 'now' | 'published' | 'later'
  /** Makes the change; resolves to its outcome in words. */
  readonly run: (command: Command) => Promise<ReactNode>
  readonly onClose: () => void
}

/** The service's own limit. */
const reasonCharactersMax = 128

export function CommandDialog(props: CommandDialogProps) {
  const { title, children, verb, isReady = true, draftKey, withReason = true, refresh = 'now', run, onClose } = props
  const t = useWords()
  const { changed, published } = useChanged()
  const [reason, setReason] = useDraft(`${draftKey}/reason`, '')
  const [requestId] = useState(newId)
  const [state, setState] = useState<State>({ kind: 'asking' })
  const lacksReason = withReason && reason.trim() === ''
  async function submit(event: FormEvent) {
    event.preventDefault()
    setState({ kind: 'running' })
    try {
      const outcome = await run({ requestId, reason: reason.trim() })
      forgetTyped(draftKey)
      if (refresh === 'now') await changed()
      setState({ kind: 'done', outcome })
    } catch (cause) {
      setState({ kind: 'failed', cause })
    } finally {
      // Without an answer it may be published all the same.
      if (refresh === 'published') await published()
    }
  }
  if (state.kind === 'done') {
    return (
      <Dialog title={title} onClose={onClose}>
        <div role="status">
          {state.outcome}
          <AuditRecord requestId={requestId} />
        </div>
        <div className="end">
          <Button data-main onClick={onClose} text={t('dialog.close')} />
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit} className={styles['form']}>
        {children}
        {withReason && (
          <Field
            label={t('dialog.reason')}
            value={reason}
            maxLength={reasonCharactersMax}
            required
            data-first={props.startsAtReason || undefined}
            onText={setReason}
          />
        )}
        {state.kind === 'failed' && <ErrorPanel cause={state.cause} />}
        <div className="end">
          <Button onClick={onClose} text={t('dialog.cancel')} />
          <Button type="submit" data-main disabled={!isReady || lacksReason || state.kind === 'running'} text={verb} />
        </div>
      </form>
    </Dialog>
  )
}

type State =
  | { readonly kind: 'asking' | 'running' }
  | { readonly kind: 'failed'; readonly cause: unknown }
  | { readonly kind: 'done'; readonly outcome: ReactNode }

/** A change of an audit record, such as `MemberService/SetTier`, in words. */
export function callName(t: Words, call: string): string {
  return t.of('call', call.slice(call.indexOf('/') + 1))
}

const recordsLooked = 50

function AuditRecord({ requestId }: { readonly requestId: string }) {
  const t = useWords()
  const { data } = useQuery(
    AuditService.method.listAuditRecords,
    { pageSize: recordsLooked },
    { staleTime: 0, refetchOnMount: 'always' },
  )
  const record = data?.records.find((one) => one.requestId === requestId)
  if (record === undefined) return null
  return (
    <p className="muted">
      {t('audit.record', { id: String(record.auditId), call: callName(t, record.call), actor: record.actor })}{' '}
      <Time at={record.at} />
    </p>
  )
}
