import { Link } from '@tanstack/react-router'
import styles from './today.module.css'
import type { HealthOfAll } from './use-health.js'

/** Each part of the service in a line. */
export function Health({ parts: { parts } }: { readonly parts: HealthOfAll }) {
  return (
    <dl className={styles['health']}>
      {parts.map(({ name, text, isWell }) => (
        <div key={name}>
          <dt>
            <Link to="/system">{name}</Link>
          </dt>
          <dd className={isWell ? undefined : 'lost'}>
            <span aria-hidden="true">{isWell ? '✓ ' : '! '}</span>
            {text}
          </dd>
        </div>
      ))}
    </dl>
  )
}
