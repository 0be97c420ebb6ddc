import { useQuery } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { useState } from 'react'
import { sessionQuery } from '../api/session.js'
import { areas } from '../areas/areas.js'
import { useWords } from '../i18n/words.js'
import { useKeys } from '../parts/use-keys.js'
import { KeysDialog } from './keys-dialog.js'
import { NewVersion } from './new-version.js'
import { SearchDialog } from './search-dialog.js'
import { SettingsMenu } from './settings-menu.js'
import styles from './shell.module.css'

/** Navigation, search, and the screen of the path. */
export function Shell() {
  const t = useWords()
  const { data: session } = useQuery(sessionQuery)
  const [open, setOpen] = useState<'search' | 'keys' | null>(null)
  useKeys({ 'mod+k': () => setOpen('search'), '?': () => setOpen('keys') })
  return (
    <div className={styles['shell']}>
      <header className={styles['bar']}>
        <span className={styles['name']}>
          {t('shell.name')} {session?.environment === 'staging' && <span className="muted">{t('shell.staging')}</span>}
        </span>
        <button type="button" className={styles['search']} onClick={() => setOpen('search')}>
          <span>{t('search.open')}</span> <kbd>Ctrl K</kbd>
        </button>
        <nav aria-label={t('shell.navigation')}>
          <ul>
            {areas.map(({ path, title }) => (
              <li key={path}>
                <Link to={path} activeProps={{ 'aria-current': 'page' }}>
                  {t(title)}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <SettingsMenu onKeys={() => setOpen('keys')} />
      </header>
      <main className={styles['main']}>
        <NewVersion />
        <Outlet />
      </main>
      {open === 'search' && <SearchDialog onClose={() => setOpen(null)} />}
      {open === 'keys' && <KeysDialog onClose={() => setOpen(null)} />}
    </div>
  )
}
