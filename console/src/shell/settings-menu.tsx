import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changeSession, sessionQuery, signOut } from '../api/session.js'
import { languages, useLanguageChoice, useWords } from '../i18n/words.js'
import { Menu } from '../parts/menu.js'
import styles from './shell.module.css'
import { chooseTheme, storedTheme, themes } from './theme.js'

/** Who is signed in, language and colours, keys, and the way out. */
export function SettingsMenu({ onKeys }: { readonly onKeys: () => void }) {
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
      <label>
        {t('settings.language')}
        <select value={t.language} onChange={(event) => choose(event.target.value === 'nb' ? 'nb' : 'en')}>
          {Object.entries(languages).map(([language, name]) => (
            <option key={language} value={language}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t('settings.theme')}
        <select
          value={theme}
          onChange={(event) => {
            const chosen = themes.find((one) => one === event.target.value) ?? 'system'
            chooseTheme(chosen)
            setTheme(chosen)
          }}
        >
          {themes.map((one) => (
            <option key={one} value={one}>
              {t(`theme.${one}`)}
            </option>
          ))}
        </select>
      </label>
      <button type="button" onClick={onKeys}>
        {t('keys.title')} <kbd>?</kbd>
      </button>
      <a className="button" href="/docs" target="_blank" rel="noreferrer">
        {t('settings.help')}
      </a>
      <button type="button" onClick={() => void leave()}>
        {t('settings.signOut')}
      </button>
    </Menu>
  )
}
