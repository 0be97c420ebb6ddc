import { type FormEvent, useState } from 'react'
import { Dialog } from '../../../parts/command-dialog.js'
import { kindsOf, type NewEntry, namingOf, newId } from './edits.js'
import styles from './form.module.css'
import { useFieldWords, useForm } from './form-context.js'
import type { Schema } from './schema.js'

interface AddEntryDialogProps {
  /** The list at the top of the document. */
  readonly list: string
  readonly item: Schema
  readonly onAdd: (entry: NewEntry) => void
  readonly onClose: () => void
}

/** Asks what an entry is to be called, and where that decides about its fields which kind it is. */
export function AddEntryDialog({ list, item, onAdd, onClose }: AddEntryDialogProps) {
  const { schema: root, text } = useForm()
  const { t, label, option } = useFieldWords()
  const [name, setName] = useState('')
  const kinds = kindsOf(root, item)
  const [kind, setKind] = useState(kinds?.kinds[0])
  const { named, own } = namingOf(root, item)
  const id = newId(text, root, item, name)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onAdd({ name, kind })
  }
  return (
    <Dialog title={t('add.title', { part: label(list, 'programme') })} onClose={onClose}>
      <form onSubmit={submit} className={styles['add']}>
        <label>
          {label(named ?? own ?? '', list)}
          <input value={name} onChange={({ target }) => setName(target.value)} />
        </label>
        <p className="muted small">{t('add.id', { id: name.trim() === '' ? '…' : id })}</p>
        {kinds !== null && (
          <fieldset className={styles['kinds']}>
            <legend>{label(kinds.field.name, list)}</legend>
            {kinds.kinds.map((one) => (
              <label key={one}>
                <input type="radio" name="kind" checked={one === kind} onChange={() => setKind(one)} />
                <span>
                  {option(one)}
                  <span className="muted small">{t.of('kind', one)}</span>
                </span>
              </label>
            ))}
          </fieldset>
        )}
        <p className="muted small">{t(kinds === null ? 'add.what' : 'add.whatOff')}</p>
        <div className={styles['addButtons']}>
          <button type="button" onClick={onClose}>
            {t('dialog.cancel')}
          </button>
          <button type="submit" data-main disabled={name.trim() === ''}>
            {t('form.addItem')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
