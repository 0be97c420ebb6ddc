import { Link, useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import { useWords } from '../i18n/words.js'
import { Dialog } from '../parts/command-dialog.js'
import styles from './shell.module.css'
import { useHits } from './use-hits.js'

/** Takes whatever somebody has at hand and goes to what it names. */
export function SearchDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useWords()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const { hits, isLooking } = useHits(typed.trim())

  function press(event: KeyboardEvent) {
    if (event.key === 'ArrowDown') setActive(Math.min(active + 1, hits.length - 1))
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, 0))
    else if (event.key === 'Enter' && hits[active] !== undefined) {
      void navigate({ to: hits[active].path })
      onClose()
    } else return
    event.preventDefault()
  }

  return (
    <Dialog title={t('search.title')} onClose={onClose}>
      <input
        autoFocus
        value={typed}
        aria-label={t('search.title')}
        placeholder={t('search.what')}
        onChange={(event) => {
          setTyped(event.target.value)
          setActive(0)
        }}
        onKeyDown={press}
      />
      <ul className={styles['results']}>
        {hits.map(({ path, kind, text }, at) => (
          <li key={path}>
            <Link to={path} onClick={onClose} data-active={at === active || undefined}>
              <span>{text}</span>
              <span className="muted">{t(kind)}</span>
            </Link>
          </li>
        ))}
      </ul>
      {typed.trim() !== '' && hits.length === 0 && !isLooking && <p className="muted">{t('search.nothing')}</p>}
    </Dialog>
  )
}
