import { localOf, withLocal } from '../../../parts/offsets.js'
import styles from './form.module.css'
import { useForm } from './form-context.js'
import { Labelled } from './labelled.js'
import { type LeafProps, shown } from './leaf-props.js'

/** A moment on the clock of the venue; the document has it with its offset, which is shown too. */
export function Moment({ path, label, shape, node, onChange }: LeafProps) {
  const { zone } = useForm()
  const value = shown(node)
  const local = localOf(value)
  const typed = (text: string) => onChange(text === '' ? null : JSON.stringify(text))
  return (
    <Labelled path={path} label={label} help={shape.description}>
      {(own) =>
        value !== '' && local === null ? (
          <input {...own} value={value} onChange={({ target }) => typed(target.value)} />
        ) : (
          <div className={styles['pair']}>
            <input
              {...own}
              type="datetime-local"
              value={local ?? ''}
              onChange={({ target }) => typed(withLocal(value, target.value, zone))}
            />
            {value !== '' && <code className="muted small">{value}</code>}
          </div>
        )
      }
    </Labelled>
  )
}
