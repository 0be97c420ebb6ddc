import { useQuery } from '@connectrpc/connect-query'
import { AccessService } from '../../../../gateway/gen/loyalty/v1/access_service_pb.js'
import { ProgrammeService } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useMay } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { Facts } from '../../parts/detail.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Page } from '../../parts/page.js'
import { Skeleton } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import { Gateways } from './gateways.js'
import { Settings } from './settings.js'
import { Stores } from './stores.js'
import styles from './system.module.css'

/** Where the console is, which gateways run, on which stores, with which settings, and what the token may do. */
export function Overview() {
  const t = useWords()
  const access = useQuery(AccessService.method.getAccess, {})
  const programme = useQuery(ProgrammeService.method.getProgramme, { version: 0, withoutDocument: true })
  const version = programme.data?.programme
  const may = useMay()
  return (
    <Page title={t('area.system')}>
      {access.isPending && <Skeleton lines={4} />}
      {access.isError && <ErrorPanel cause={access.error} onRetry={() => void access.refetch()} />}
      {access.isSuccess && (
        <Facts
          facts={[
            [t('system.environment'), access.data.environment],
            [t('system.token'), access.data.name],
            [t('system.role'), access.data.role],
            [t('system.programme'), version === undefined ? '–' : version.version],
            [t('versions.at'), <Time key="at" at={version?.publishedAt} />],
          ]}
        />
      )}
      <Gateways newest={version} />
      <Stores />
      {may('SystemService/ListSettings') && <Settings />}
      {access.isSuccess && (
        <details>
          <summary>{t('system.calls', { count: access.data.calls.length })}</summary>
          <ul className={styles['calls']}>
            {access.data.calls.map((call) => (
              <li key={call}>
                <code>{call}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Page>
  )
}
