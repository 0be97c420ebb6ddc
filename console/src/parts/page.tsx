import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWords } from '../i18n/words.js'
import styles from './page.module.css'
import { useKeys } from './use-draft.js'

interface PageProps {
  readonly title: string
  readonly buttons?: ReactNode
  readonly children: ReactNode
}

/** A screen that is no list. */
export function Page({ title, buttons, children }: PageProps) {
  return (
    <div className={styles['page']}>
      <header className={styles['head']}>
        <h1>{title}</h1>
        <div className="flow">{buttons}</div>
      </header>
      {children}
    </div>
  )
}

interface TabsProps {
  readonly label: string
  readonly tabs: readonly { readonly to: string; readonly title: string; readonly exact?: boolean }[]
}

export function Tabs({ label, tabs }: TabsProps) {
  return (
    <nav aria-label={label} className={styles['tabs']}>
      {tabs.map(({ to, title, exact = false }) => (
        <Link key={to} to={to} activeOptions={{ exact, includeSearch: false }} activeProps={{ 'aria-current': 'page' }}>
          {title}
        </Link>
      ))}
    </nav>
  )
}

interface DetailProps {
  readonly title: ReactNode
  /** The list's path: Escape and the cross go back to it. */
  readonly closeTo: string
  /** The filters to keep in the address; absent: all. */
  readonly closeSearch?: (search: Record<string, unknown>) => object
  readonly buttons?: ReactNode
  readonly children: ReactNode
}

export function Detail({ title, closeTo, closeSearch = (search) => search, buttons, children }: DetailProps) {
  const t = useWords()
  const navigate = useNavigate()
  useKeys({ Escape: () => void navigate({ to: closeTo, search: closeSearch as never }) })
  return (
    <article className={styles['detail']}>
      <header>
        <h2>{title}</h2>
        <div className="flow">
          {buttons}
          <Link to={closeTo} search={closeSearch as never} className="button" aria-label={t('dialog.close')}>
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
  readonly level?: 2 | 3
  readonly children: ReactNode
}

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

/** A name with its value; undefined: left out. */
type Fact = readonly [name: string, value: ReactNode | undefined]

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={styles['facts']}>
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
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

interface SplitProps {
  readonly title: string
  readonly lead?: ReactNode
  readonly list: ReactNode
  /** The open row's panel; null: none. */
  readonly open: ReactNode | null
}

/** A list, and next to it the open row; without room for both, only the open row. */
export function Split({ title, lead, list, open }: SplitProps) {
  return (
    <div className={styles['split']} data-open={open !== null || undefined}>
      <div className={styles['list']}>
        <h1>{title}</h1>
        {lead !== undefined && <p className="muted">{lead}</p>}
        {list}
      </div>
      {open !== null && (
        <section className={styles['open']} data-beside>
          {open}
        </section>
      )}
    </div>
  )
}

/** A label; for a term of the glossary its meaning is shown on hover. */
export function Term({ text }: { readonly text: string }) {
  const meaning = useWords().meaningOf(text)
  return meaning === undefined ? text : <abbr title={meaning}>{text}</abbr>
}
