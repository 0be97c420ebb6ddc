import { useState } from 'react'
import { useWords } from '../i18n/words.js'
import styles from './id.module.css'

const shownMax = 14
const edge = 4

/** Its beginning and its end, where it is long. */
export function shortened(id: string): string {
  return id.length <= shownMax ? id : `${id.slice(0, edge)}…${id.slice(-edge)}`
}

const copiedMs = 1_500

/** An id; a click copies it whole. */
export function Id({ id }: { readonly id: string }) {
  const t = useWords()
  const [isCopied, setCopied] = useState(false)
  async function copy() {
    // Over plain HTTP a browser has no clipboard: the whole id is in the title then.
    if (navigator.clipboard === undefined) return
    await navigator.clipboard.writeText(id)
    setCopied(true)
    setTimeout(() => setCopied(false), copiedMs)
  }
  return (
    <button type="button" data-plain className={styles['id']} title={id} onClick={() => void copy()}>
      <span>{isCopied ? t('id.copied') : shortened(id)}</span>
      <span className="hidden">{t('id.copy', { id })}</span>
    </button>
  )
}
