import { Link, useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import { useWords } from '../i18n/words.js'
import { Dialog } from '../parts/command-dialog.js'
import styles from './shell.module.css'
import { type Hit, keyOfHit, useHits } from './use-hits.js'

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
      void navigate(placeOf(hits[active]))
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
        {hits.map((hit, at) => (
          <li key={keyOfHit(hit)}>
            <Link {...placeOf(hit)} onClick={onClose} data-active={at === active || undefined}>
              <span>{hit.text}</span>
              <span className="muted">{t(hit.kind)}</span>
            </Link>
          </li>
        ))}
      </ul>
      {typed.trim() !== '' && hits.length === 0 && !isLooking && <p className="muted">{t('search.nothing')}</p>}
    </Dialog>
  )
}

function placeOf({ path, search }: Hit) {
  return search === undefined ? { to: path } : { to: path, search }
}
