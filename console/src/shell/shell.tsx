import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { Fragment, useEffect, useRef, useState } from 'react'
import { changeSession, sessionQuery, signOut } from '../api/session.js'
import { areas } from '../areas/areas.js'
import { languages, type MessageKey, useLanguageChoice, useWords } from '../i18n/words.js'
import { Button, Dialog, Menu, Select } from '../parts/controls.js'
import { useKeys } from '../parts/use-draft.js'
import { useScreensLoaded } from './load-screens.js'
import { SearchDialog } from './search-dialog.js'
import styles from './shell.module.css'
import { AwayNote, NewVersion, StaleNote } from './stale-note.js'
import { useArrival } from './use-arrival.js'

export function Shell() {
  const t = useWords()
  const main = useRef<HTMLElement>(null)
  const [open, setOpen] = useState<'search' | 'keys' | null>(null)
  useArrival(main)
  useScreensLoaded()
  useKeys({ 'mod+k': () => setOpen('search'), '?': () => setOpen('keys') })
  return (
    <div className={styles['shell']}>
      <Button className={styles['skip']} onClick={() => main.current?.focus()} text={t('shell.skip')} />
      <Bar onSearch={() => setOpen('search')} onKeys={() => setOpen('keys')} />
      <main ref={main} id="main" tabIndex={-1} className={styles['main']}>
        <AwayNote />
        <NewVersion />
        <StaleNote />
        <Outlet />
      </main>
      {open === 'search' && <SearchDialog onClose={() => setOpen(null)} />}
      {open === 'keys' && <KeysDialog onClose={() => setOpen(null)} />}
    </div>
  )
}

function Bar({ onSearch, onKeys }: { readonly onSearch: () => void; readonly onKeys: () => void }) {
  const t = useWords()
  const { data: session } = useQuery(sessionQuery)
  const { pathname } = useLocation()
  const [isOpen, setOpen] = useState(false)
  const menu = useRef<HTMLButtonElement>(null)
  const close = () => {
    setOpen(false)
    menu.current?.focus()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path closes it
  useEffect(() => setOpen(false), [pathname])
  useKeys({ Escape: isOpen ? close : undefined })
  return (
    <header className={styles['bar']}>
      <span className={styles['name']}>
        {t('shell.name')} {session?.environment === 'staging' && <span className="muted">{t('shell.staging')}</span>}
      </span>
      <button type="button" className={styles['search']} onClick={onSearch}>
        <span>{t('search.title')}</span> <kbd>Ctrl K</kbd>
      </button>
      <Button
        ref={menu}
        className={styles['menu']}
        aria-expanded={isOpen}
        aria-controls="areas"
        onClick={() => setOpen(!isOpen)}
        text={t('shell.menu')}
      />
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

const keys: readonly (readonly [key: string, what: MessageKey])[] = [
  ['Ctrl K', 'keys.search'],
  ['/', 'keys.filter'],
  ['j', 'keys.down'],
  ['k', 'keys.up'],
  ['Enter', 'keys.open'],
  ['Esc', 'keys.close'],
  ['?', 'keys.help'],
]

function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useWords()
  return (
    <Dialog title={t('keys.title')} onClose={onClose}>
      <dl className={styles['keys']}>
        {keys.map(([key, what]) => (
          <Fragment key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{t(what)}</dd>
          </Fragment>
        ))}
      </dl>
      <Button onClick={onClose} text={t('dialog.close')} />
    </Dialog>
  )
}

function SettingsMenu({ onKeys }: { readonly onKeys: () => void }) {
  const t = useWords()
  const choose = useLanguageChoice()
  const queryClient = useQueryClient()
  const { data: session } = useQuery(sessionQuery)
  const [theme, setTheme] = useState(storedTheme)

  async function leave() {
    await signOut()
    changeSession(queryClient, null)
  }

  return (
    <Menu className={styles['settings']} title={session?.name ?? t('settings.title')}>
      <Select
        label={t('settings.language')}
        value={t.language}
        onText={(text) => choose(text === 'nb' ? 'nb' : 'en')}
        options={Object.entries(languages).map(([language, name]) => [language, name])}
      />
      <Select
        label={t('settings.theme')}
        value={theme}
        onText={(text) => {
          const chosen = themes.find((one) => one === text) ?? 'system'
          chooseTheme(chosen)
          setTheme(chosen)
        }}
        options={themes.map((one) => [one, t(`theme.${one}`)])}
      />
      <button type="button" onClick={onKeys}>
        {t('keys.title')} <kbd>?</kbd>
      </button>
      <a className="button" href="/docs" target="_blank" rel="noreferrer">
        {t('settings.help')}
      </a>
      <Button onClick={() => void leave()} text={t('settings.signOut')} />
    </Menu>
  )
}

const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const themeItem = 'loyalty-theme'

function storedTheme(): Theme {
  const stored = localStorage.getItem(themeItem)
  return themes.find((theme) => theme === stored) ?? 'system'
}

function chooseTheme(theme: Theme): void {
  localStorage.setItem(themeItem, theme)
  applyStoredTheme()
}

export function applyStoredTheme(): void {
  const theme = storedTheme()
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}
