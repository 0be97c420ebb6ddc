import styles from './charts.module.css'

/** A patch of a colour, before the name of what has it in charts. */
export function Swatch({ colour }: { readonly colour: string }) {
  return <span className={styles['swatch']} style={{ background: colour }} aria-hidden="true" />
}
