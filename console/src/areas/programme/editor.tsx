import { useRef, useState } from 'react'
import { useWords } from '../../i18n/words.js'
import { editDraft, type ProgrammeDraft, useProgrammeDraft } from './draft-store.js'
import styles from './editor.module.css'
import { Gutter, lineHeight } from './gutter.js'
import { lineAt } from './locate.js'
import { Remarks } from './remarks.js'
import { type Remark, useRemarks } from './use-remarks.js'

/** The text of the draft, with the service's own faults and warnings beside it as one types. */
export function EditorScreen() {
  const draft = useProgrammeDraft()
  return draft === null ? null : <Editor draft={draft} />
}

function Editor({ draft }: { readonly draft: ProgrammeDraft }) {
  const t = useWords()
  const area = useRef<HTMLTextAreaElement>(null)
  const [scrolled, setScrolled] = useState(0)
  const { document } = draft
  const said = useRemarks(document)

  const goTo = ({ position, line }: Remark) => {
    const editor = area.current!
    editor.focus()
    editor.setSelectionRange(position, position)
    editor.scrollTop = Math.max(0, (line - 4) * lineHeight)
  }
  return (
    <div className={styles['split']}>
      <div className={styles['editor']}>
        <Gutter scrolled={scrolled} lines={lineAt(document, document.length)} remarks={said.remarks} />
        <textarea
          ref={area}
          value={document}
          aria-label={t('draft.document')}
          spellCheck={false}
          wrap="off"
          onChange={(event) => editDraft(event.target.value)}
          onScroll={(event) => setScrolled(event.currentTarget.scrollTop)}
        />
      </div>
      <Remarks of={said} onGo={goTo} />
    </div>
  )
}
