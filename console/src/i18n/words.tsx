import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import type english from '../messages/en.json'
import { formatMessage, type MessageValues } from './format-message.js'

export type MessageKey = keyof typeof english

export const languages = { en: 'English', nb: 'Norsk bokmål' } as const
export type Language = keyof typeof languages

export interface Words {
  readonly language: Language
  readonly locale: string
  (key: MessageKey, values?: MessageValues): string
  /** The message `group.word`; a word of a newer service without a message stays as it is. */
  of(group: string, word: string): string
  /** The meaning of a label, where there is a message `term.` and its key; undefined: none. */
  meaningOf(label: string): string | undefined
}

const locales: Readonly<Record<Language, string>> = { en: 'en-GB', nb: 'nb-NO' }
const languageItem = 'loyalty-language'
const load: Readonly<Record<Language, () => Promise<{ default: object }>>> = {
  en: () => import('../messages/en.json'),
  nb: () => import('../messages/nb.json'),
}

const WordsContext = createContext<{ readonly words: Words; choose(language: Language): void } | null>(null)

export function useWords(): Words {
  return useContext(WordsContext)!.words
}

export function useLanguageChoice(): (language: Language) => void {
  return useContext(WordsContext)!.choose
}

/** Loads the catalogue of the chosen language, by default the browser's; shows nothing before. */
export function WordsProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage)
  const [loaded, setLoaded] = useState<{ readonly language: Language; readonly messages: object } | null>(null)
  useEffect(() => {
    document.documentElement.lang = language
    let isCurrent = true
    void load[language]().then(({ default: messages }) => {
      if (isCurrent) setLoaded({ language, messages })
    })
    return () => {
      isCurrent = false
    }
  }, [language])
  const value = useMemo(() => {
    if (loaded === null) return null
    const choose = (next: Language) => {
      localStorage.setItem(languageItem, next)
      setLanguage(next)
    }
    return { words: wordsOf(loaded.language, loaded.messages as Readonly<Record<string, string>>), choose }
  }, [loaded])
  return value === null ? null : <WordsContext value={value}>{children}</WordsContext>
}

function wordsOf(language: Language, messages: Readonly<Record<string, string>>): Words {
  const locale = locales[language]
  const words = (key: MessageKey, values: MessageValues = {}) => formatMessage(messages[key] ?? key, values, locale)
  const of = (group: string, word: string) => messages[`${group}.${word}`] ?? word
  const terms = Object.entries(messages).filter(([key]) => key.startsWith('term.'))
  const meanings = new Map(terms.map(([key, meaning]) => [messages[key.slice('term.'.length)], meaning]))
  const meaningOf = (label: string) => meanings.get(label)
  return Object.assign(words, { language, locale, of, meaningOf })
}

function firstLanguage(): Language {
  const stored = localStorage.getItem(languageItem)
  if (stored === 'en' || stored === 'nb') return stored
  return navigator.languages.some((tag) => /^(nb|no|nn)\b/.test(tag)) ? 'nb' : 'en'
}
