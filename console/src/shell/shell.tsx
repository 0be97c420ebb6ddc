import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { sessionQuery } from '../api/session.js'
import { areas } from '../areas/areas.js'
import { useWords } from '../i18n/words.js'
import { useKeys } from '../parts/use-keys.js'
import { KeysDialog } from './keys-dialog.js'
import { NewVersion } from './new-version.js'
import { SearchDialog } from './search-dialog.js'
import { SettingsMenu } from './settings-menu.js'
import styles from './shell.module.css'
import { useArrival } from './use-arrival.js'

/** Navigation, search, and the screen of the path. */
export function Shell() {
  const t = useWords()
  const main = useRef<HTMLElement>(null)
  const [open, setOpen] = useState<'search' | 'keys' | null>(null)
  useArrival(main)
  useKeys({ 'mod+k': () => setOpen('search'), '?': () => setOpen('keys') })
  return (
    <div className={styles['shell']}>
      <button type="button" className={styles['skip']} onClick={() => main.current?.focus()}>
        {t('shell.skip')}
      </button>
      <Bar onSearch={() => setOpen('search')} onKeys={() => setOpen('keys')} />
      <main ref={main} id="main" tabIndex={-1} className={styles['main']}>
        <NewVersion />
        <Outlet />
      </main>
      {open === 'search' && <SearchDialog onClose={() => setOpen(null)} />}
      {open === 'keys' && <KeysDialog onClose={() => setOpen(null)} />}
    </div>
  )
}

interface BarProps {
  readonly onSearch: () => void
  readonly onKeys: () => void
}

/** Where one is, where one can go, and who one is. In a narrow window areas and settings are behind a button. */
function Bar({ onSearch, onKeys }: BarProps) {
  const t = useWords()
  const { data: session } = useQuery(sessionQuery)
  const { pathname } = useLocation()
  const [isOpen, setOpen] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path closes it
  useEffect(() => setOpen(false), [pathname])
  useKeys({ Escape: isOpen ? () => setOpen(false) : undefined })
  return (
    <header className={styles['bar']}>
      <span className={styles['name']}>
        {t('shell.name')} {session?.environment === 'staging' && <span className="muted">{t('shell.staging')}</span>}
      </span>
      <button type="button" className={styles['search']} onClick={onSearch}>
        <span>{t('search.open')}</span> <kbd>Ctrl K</kbd>
      </button>
      <button
        type="button"
        className={styles['menu']}
        aria-expanded={isOpen}
        aria-controls="areas"
        onClick={() => setOpen(!isOpen)}
      >
        {t('shell.menu')}
      </button>
      <div id="areas" className={styles['areas']} data-open={isOpen || undefined}>
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
        <SettingsMenu onKeys={onKeys} />
      </div>
    </header>
  )
}
