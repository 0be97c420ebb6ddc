import { useWords } from '../../i18n/words.js'
import { Button, Dialog, TextLink } from '../../parts/controls.js'
import styles from './benefits.module.css'
import { templates } from './templates.js'
import { useDraftWith } from './use-draft-with.js'

export function TemplateDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useWords()
  const draft = useDraftWith()
  return (
    <Dialog title={t('templates.title')} onClose={onClose}>
      <p>{t('templates.lead')}</p>
      <ul className={styles['templates']}>
        {templates.map(({ name, fragment }) => (
          <li key={name}>
            <Button
              disabled={draft === null}
              onClick={() => draft!.add(fragment(t.of('template', name)))}
              text={t.of('template', name)}
            />
            <span className="muted">{t.of('templateWhat', name)}</span>
          </li>
        ))}
      </ul>
      <p>
        <TextLink to="/programme/draft" text={t('templates.other')} />
      </p>
      <div className="end">
        <Button onClick={onClose} text={t('dialog.close')} />
      </div>
    </Dialog>
  )
}
