import { useQuery } from '@tanstack/react-query'
import { useWords } from '../i18n/words.js'
import styles from './shell.module.css'

/** How often the page is asked for, in milliseconds: after an upgrade of the gateway it is another one. */
const askMs = 5 * 60_000
let firstTag: string | null = null

/** Offers the new version of the console once the gateway serves one. */
export function NewVersion() {
  const t = useWords()
  const { data: isStale } = useQuery({
    queryKey: ['version'],
    queryFn: async () => {
      const { headers } = await fetch('/console', { method: 'HEAD', cache: 'no-store' })
      firstTag ??= headers.get('etag')
      return headers.get('etag') !== firstTag
    },
    refetchInterval: askMs,
    retry: false,
  })
  if (isStale !== true) return null
  return (
    <p className={styles['banner']} role="status">
      {t('version.new')}
      <button type="button" onClick={() => location.reload()}>
        {t('version.load')}
      </button>
    </p>
  )
}
