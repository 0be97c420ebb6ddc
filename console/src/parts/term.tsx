import { useWords } from '../i18n/words.js'

/** A label; where it is a term of the glossary its meaning shows on hover. */
export function Term({ text }: { readonly text: string }) {
  const meaning = useWords().meaningOf(text)
  return meaning === undefined ? text : <abbr title={meaning}>{text}</abbr>
}
