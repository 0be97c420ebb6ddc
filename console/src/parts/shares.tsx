import { useWords } from '../i18n/words.js'
import styles from './charts.module.css'
import { percentText } from './figures.js'
import { Swatch } from './swatch.js'

/** A part of a whole. */
export interface Share {
  readonly key: string
  readonly label: string
  readonly colour: string
  readonly size: number
}

/** What a whole is made of: a bar, and a line that says the same. */
export function Shares({ shares }: { readonly shares: readonly Share[] }) {
  const t = useWords()
  const whole = shares.reduce((sum, { size }) => sum + size, 0)
  return (
    <>
      <div className={styles['bar']} aria-hidden="true">
        {shares.map(({ key, colour, size }) => (
          <span key={key} style={{ flex: `${size} 0 0`, background: colour }} />
        ))}
      </div>
      <ul className={styles['shares']}>
        {shares.map(({ key, label, colour, size }) => (
          <li key={key}>
            <Swatch colour={colour} />
            {percentText(t, size, whole)} {label}
          </li>
        ))}
      </ul>
    </>
  )
}

interface TakenBarProps {
  readonly parts: readonly { readonly key: string; readonly size: number; readonly colour: string }[]
  readonly whole: number
}

/** How much of something is taken; the words beside it say how much. */
export function TakenBar({ parts, whole }: TakenBarProps) {
  const left = Math.max(0, whole - parts.reduce((sum, { size }) => sum + size, 0))
  return (
    <div className={styles['bar']} aria-hidden="true">
      {parts
        .filter(({ size }) => size > 0)
        .map(({ key, size, colour }) => (
          <span key={key} style={{ flex: `${size} 0 0`, background: colour }} />
        ))}
      <span style={{ flex: `${left} 0 0`, minWidth: 0 }} />
    </div>
  )
}
