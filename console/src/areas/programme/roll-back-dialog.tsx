import { useQuery } from '@connectrpc/connect-query'
import { ProgrammeService } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useCommands } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { AuditRecord } from '../../parts/audit-record.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Skeleton } from '../../parts/states.js'
import { Changes } from './changes.js'
import { useVersionDocument } from './use-document.js'

interface RollBackDialogProps {
  /** Whose benefits are wanted back. */
  readonly version: number
  /** The version in force as it is shown: another one is refused. */
  readonly newest: number
  readonly onClose: () => void
}

/** Publishes the benefits of an earlier version again, and says before what that changes. */
export function RollBackDialog({ version, newest, onClose }: RollBackDialogProps) {
  const t = useWords()
  const { programmes, published } = useCommands()
  const query = useQuery(
    ProgrammeService.method.diffProgrammes,
    { baseVersion: newest, changed: { case: 'version', value: version } },
    { staleTime: 0 },
  )
  const texts = { base: useVersionDocument(newest).document, changed: useVersionDocument(version).document }
  return (
    <CommandDialog
      title={t('rollBack.title', { version: String(version) })}
      verb={t('rollBack.do')}
      draftKey={`roll-back/${version}`}
      withReason={false}
      isReady={query.isSuccess}
      onClose={onClose}
      run={async ({ requestId }) => {
        const reply = await programmes.rollBack({ requestId, version, expectedVersion: newest }).finally(published)
        return (
          <>
            <p>{t(reply.published ? 'publish.done' : 'publish.already', { version: String(reply.version) })}</p>
            <AuditRecord requestId={requestId} />
          </>
        )
      }}
    >
      <p>{t('rollBack.what', { version: String(version), next: String(newest + 1) })}</p>
      {query.isPending && <Skeleton lines={3} />}
      {query.isError && <ErrorPanel cause={query.error} />}
      {query.isSuccess && <Changes {...query.data} {...texts} />}
    </CommandDialog>
  )
}
