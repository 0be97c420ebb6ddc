import { useWords } from '../i18n/words.js'
import { Page } from '../parts/page.js'

export function NotFound() {
  const t = useWords()
  return (
    <Page title={t('notFound.why')}>
      <p className="muted">{t('notFound.what')}</p>
    </Page>
  )
}
