import { useQuery } from '@connectrpc/connect-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { ProgrammeService, type ProgrammeVersion } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useMay } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { Detail, Facts, Part } from '../../parts/detail.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Skeleton } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import { Changes } from './changes.js'
import { storeDraft, useProgrammeDraft } from './draft-store.js'
import styles from './programme.module.css'
import { RollBackDialog } from './roll-back-dialog.js'
import { useDocument, useVersionDocument } from './use-document.js'
import { useNewest } from './use-newest.js'

/** A version of the programme, with what it changed of the one before or of any other. */
export function VersionDetail() {
  const { version } = useParams({ from: '/programme/$version' })
  const query = useQuery(ProgrammeService.method.getProgramme, { version: Number(version), withoutDocument: true })
  if (query.isPending) return <Skeleton />
  if (query.isError) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  return <Version key={version} programme={query.data.programme!} />
}

function Version({ programme }: { readonly programme: ProgrammeVersion }) {
  const t = useWords()
  const navigate = useNavigate()
  const may = useMay()
  const newest = useNewest().data?.programme?.version
  const [isRollingBack, setRollingBack] = useState(false)
  const { version, publishedAt, publishedBy, rolledBackTo, documentBytes } = programme
  const mayRollBack = may('ProgrammeService/RollBack') && newest !== undefined && newest !== version
  return (
    <Detail
      title={t('versions.title', { version: String(version) })}
      closeTo="/programme"
      onClose={() => void navigate({ to: '/programme' })}
      buttons={
        <>
          <DraftButton programme={programme} />
          {mayRollBack && (
            <button type="button" onClick={() => setRollingBack(true)}>
              {t('rollBack.open')}
            </button>
          )}
        </>
      }
    >
      <Facts
        facts={[
          [t('versions.at'), <Time key="at" at={publishedAt} />],
          [t('versions.by'), publishedBy],
          [t('versions.bytes'), new Intl.NumberFormat(t.locale).format(documentBytes)],
          [
            t('versions.kind'),
            rolledBackTo === 0 ? t('versions.published') : t('versions.rolledBack', { version: rolledBackTo }),
          ],
          [t('versions.inForce'), t(newest === version ? 'versions.yes' : 'versions.no')],
        ]}
      />
      {newest === version && version > 1 && may('ProgrammeService/RollBack') && (
        <p>
          <Link to="/programme/$version" params={{ version: String(version - 1) }}>
            {t('rollBack.before', { version: String(version - 1) })}
          </Link>
        </p>
      )}
      <Compared version={version} newest={newest ?? version} />
      {isRollingBack && <RollBackDialog version={version} newest={newest!} onClose={() => setRollingBack(false)} />}
    </Detail>
  )
}

/** Begins a draft with the document of a version; the newest version is the one its writer has seen. */
function DraftButton({ programme }: { readonly programme: ProgrammeVersion }) {
  const t = useWords()
  const navigate = useNavigate()
  const draft = useProgrammeDraft()
  const newest = useNewest().data?.programme?.version
  const document = useDocument(programme)
  const go = () => void navigate({ to: '/programme/draft' })
  if (draft !== null) {
    return (
      <button type="button" onClick={go}>
        {t('draft.goOn')}
      </button>
    )
  }
  return (
    <button
      type="button"
      disabled={document === null || newest === undefined}
      onClick={() => {
        storeDraft({ document: document!, baseVersion: newest!, isChanged: false })
        go()
      }}
    >
      {t('draft.edit')}
    </button>
  )
}

interface ComparedProps {
  readonly version: number
  readonly newest: number
}

function Compared({ version, newest }: ComparedProps) {
  const t = useWords()
  const navigate = useNavigate()
  const { base = version - 1 } = useSearch({ from: '/programme/$version' })
  const query = useQuery(
    ProgrammeService.method.diffProgrammes,
    { baseVersion: base, changed: { case: 'version', value: version } },
    { enabled: base > 0 },
  )
  const texts = { base: useVersionDocument(base).document, changed: useVersionDocument(version).document }
  const others = Array.from({ length: newest }, (_, at) => newest - at).filter((other) => other !== version)
  return (
    <Part title={t('versions.changes')}>
      {others.length > 0 && (
        <div className={styles['form']}>
          <label>
            {t('versions.against')}
            <select
              value={base}
              onChange={(event) => void navigate({ to: '.', search: { base: Number(event.target.value) } })}
            >
              {base === 0 && <option value={0}>{t('versions.nothing')}</option>}
              {others.map((other) => (
                <option key={other} value={other}>
                  {other}
                </option>
              ))}
            </select>
          </label>
        </div>
      )}
      {base === 0 ? (
        <p className="muted">{t('versions.first')}</p>
      ) : query.isPending ? (
        <Skeleton lines={4} />
      ) : query.isError ? (
        <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Changes {...query.data} {...texts} />
      )}
    </Part>
  )
}
