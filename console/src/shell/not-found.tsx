import { useWords } from '../i18n/words.js'
import { Empty } from '../parts/states.js'

export function NotFound() {
  const t = useWords()
  return <Empty why={t('notFound.why')}>{t('notFound.what')}</Empty>
}
