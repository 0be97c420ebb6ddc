import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import { useWords } from '../../i18n/words.js'
import { editDraft, useProgrammeDraft } from './draft-store.js'
import styles from './programme.module.css'
import { type Remark, Remarks, useRemarks } from './remarks.js'

export function JsonScreen() {
  const draft = useProgrammeDraft()
  return draft === null ? null : <Editor text={draft.text} />
}

function Editor({ text }: { readonly text: string }) {
  const t = useWords()
  const said = useRemarks(text)
  const { host, view } = useEditor(text, t('draft.document'))
  const { remarks } = said
  useEffect(() => {
    const editor = view.current!
    editor.dispatch(
      setDiagnostics(
        editor.state,
        remarks.map((remark) => diagnosticOf(editor.state, remark)),
      ),
    )
  }, [view, remarks])
  const goTo = ({ position }: Remark) => {
    const editor = view.current!
    const at = Math.min(position, editor.state.doc.length)
    editor.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) })
    editor.focus()
  }
  return (
    <div className={styles['split']}>
      <div ref={host} className={styles['editor']} />
      <Remarks of={said} onGo={goTo} />
    </div>
  )
}

/** An editor of the draft below `host`, in a shadow root: the page's policy allows no style elements of the document. */
function useEditor(text: string, label: string) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const first = useRef(text)
  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' })
    const state = EditorState.create({ doc: first.current, extensions: [extensions, labelled(label)] })
    const editor = new EditorView({ state, parent: root, root })
    view.current = editor
    return () => editor.destroy()
  }, [label])
  useEffect(() => {
    const editor = view.current!
    const own = editor.state.doc.toString()
    first.current = text
    if (own !== text) editor.dispatch({ changes: { from: 0, to: own.length, insert: text } })
  }, [text])
  return { host, view }
}

function labelled(label: string): Extension {
  return EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' })
}

function diagnosticOf({ doc }: EditorState, { position, isFault, text, path }: Remark): Diagnostic {
  const from = Math.min(position, doc.length)
  const to = Math.min(doc.lineAt(from).to, from + 80)
  return { from, to, severity: isFault ? 'error' : 'warning', message: `${path}: ${text}` }
}

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', fontSize: '13px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { background: 'var(--sunken)', color: 'var(--muted)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { background: 'var(--accent-wash)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { background: 'var(--line) !important' },
  // In place of images, which the page's policy refuses.
  '.cm-lintRange': { backgroundImage: 'none !important', textDecoration: 'underline wavy var(--accent)' },
  '.cm-lintRange-error': { textDecorationColor: 'var(--lost)' },
  '.cm-panels, .cm-tooltip': { background: 'var(--raised)', color: 'var(--text)', borderColor: 'var(--line)' },
  '.cm-textfield, .cm-button': { background: 'var(--page)', color: 'var(--text)', border: '1px solid var(--line)' },
})

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--series-3)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--series-2)' },
])

const extensions: Extension = [
  theme,
  lineNumbers(),
  foldGutter(),
  history(),
  drawSelection(),
  bracketMatching(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  EditorState.tabSize.of(2),
  json(),
  syntaxHighlighting(colours),
  // Tab leaves the editor, as it leaves any field.
  keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...foldKeymap]),
  EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged) editDraft(state.doc.toString())
  }),
]
