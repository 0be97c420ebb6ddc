import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import styles from './page.module.css'

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
        <div className={styles['buttons']}>{buttons}</div>
      </header>
      {children}
    </div>
  )
}

interface TabsProps {
  /** For screen readers. */
  readonly label: string
  readonly tabs: readonly { readonly to: string; readonly title: string; readonly exact?: boolean }[]
}

/** Screens of one area, each with an address of its own. */
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
