import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWords } from '../i18n/words.js'
import styles from './detail.module.css'
import { Term } from './term.js'
import { useKeys } from './use-keys.js'

interface DetailProps {
  readonly title: ReactNode
  /** Where the list is: Escape and the cross go back to it. */
  readonly closeTo: string
  readonly onClose: () => void
  readonly buttons?: ReactNode
  readonly children: ReactNode
}

/** A row that is open beside its list. */
export function Detail({ title, closeTo, onClose, buttons, children }: DetailProps) {
  const t = useWords()
  useKeys({ Escape: onClose })
  return (
    <article className={styles['detail']}>
      <header>
        <h2>{title}</h2>
        <div className={styles['buttons']}>
          {buttons}
          <Link to={closeTo} className="button" aria-label={t('detail.close')}>
            ✕
          </Link>
        </div>
      </header>
      {children}
    </article>
  )
}

interface PartProps {
  readonly title: string
  /** Of its head: one below the head that it stands under. */
  readonly level?: 2 | 3
  readonly children: ReactNode
}

/** A part of a detail under a head of its own. */
export function Part({ title, level = 3, children }: PartProps) {
  const Head = `h${level}` as const
  return (
    <section className={styles['part']}>
      <Head>
        <Term text={title} />
      </Head>
      {children}
    </section>
  )
}

/** Names with what they stand for, side by side. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={styles['facts']}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>
            <Term text={name} />
          </dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
