import { useQuery } from '@connectrpc/connect-query'
import { ProgrammeService } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useWords } from '../../i18n/words.js'
import { Part } from '../../parts/detail.js'
import styles from './programme.module.css'

/** What looks unintended of a document that is about to be published; nothing where nothing does. */
export function Warnings({ document }: { readonly document: string }) {
  const t = useWords()
  const { data } = useQuery(ProgrammeService.method.validateProgramme, { document }, { staleTime: 0, gcTime: 0 })
  const warnings = data?.warnings ?? []
  if (warnings.length === 0) return null
  return (
    <Part level={3} title={t('publish.warnings', { count: warnings.length })}>
      <ul className={styles['warnings']}>
        {warnings.map(({ path, word, message }) => (
          <li key={`${path}/${word}`}>
            {t.of('warning', word)}
            <span className="muted small">
              <code>{path}</code> {message}
            </span>
          </li>
        ))}
      </ul>
    </Part>
  )
}
