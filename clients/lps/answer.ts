import { type DescField, type DescMessage, type Message, toJson, toJsonString } from '@bufbuild/protobuf'
import { type ReflectList, type ReflectMap, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'
import { wordFromEnum } from '../../gateway/internal/messages/message.js'
import { oneLine, print, printError, printTable } from './screen.js'
import { moneyText } from './words.js'

export interface AnswerForm {
  readonly asJson?: boolean
  readonly isOneOfSeveral?: boolean
  readonly money?: readonly string[]
}

export function printAnswer(
  desc: DescMessage,
  message: Message,
  { asJson = false, isOneOfSeveral = false, money = [] }: AnswerForm = {},
): void {
  if (asJson) {
    print(toJsonString(desc, message, isOneOfSeveral ? {} : { prettySpaces: 2 }))
    return
  }
  const { values, lists } = partsOf(reflect(desc, message), money)
  values.delete('next_page_token')
  const width = Math.max(0, ...[...values.keys()].map((name) => name.length))
  for (const [name, text] of values) print(`${`${name}:`.padEnd(width + 1)} ${oneLine(text)}`)
  const isOnlyList = values.size === 0 && lists.length === 1
  for (const { name, rows } of lists) {
    if (!isOnlyList) print(`\n${name}`)
    printRows(rows.map((row) => cellsOf(row, money)))
  }
  if (isOneOfSeveral) print('')
  else if (values.size === 0 && lists.length === 0) printError('done: the answer is empty')
}

interface Parts {
  readonly values: Map<string, string>
  readonly lists: { readonly name: string; readonly rows: readonly ReflectMessage[] }[]
}

function partsOf(message: ReflectMessage, money: readonly string[], prefix = ''): Parts {
  const parts: Parts = { values: new Map(), lists: [] }
  for (const field of message.fields) {
    const name = `${prefix}${field.name}`
    const value: unknown = message.get(field)
    if (field.fieldKind === 'list' && field.listKind === 'message') {
      const rows = [...(value as ReflectList<ReflectMessage>)]
      if (rows.length > 0) parts.lists.push({ name, rows })
    } else if (field.fieldKind === 'message' && message.isSet(field) && !isWellKnown(field.message)) {
      const inner = partsOf(value as ReflectMessage, money, `${name}.`)
      for (const [path, text] of inner.values) parts.values.set(path, text)
      parts.lists.push(...inner.lists)
    } else {
      const text = money.includes(field.name) ? moneyOf(message, value) : textOf(message, field)
      if (text !== '') parts.values.set(name, text)
    }
  }
  return parts
}

function cellsOf(message: ReflectMessage, money: readonly string[]): ReadonlyMap<string, string> {
  const { values, lists } = partsOf(message, money)
  for (const { name, rows } of lists) {
    const texts = rows.map((row) => [...cellsOf(row, money)].map(([name, text]) => `${name}=${text}`).join(' '))
    values.set(name, texts.join('; '))
  }
  return values
}

function printRows(rows: readonly ReadonlyMap<string, string>[]): void {
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))]
  const headings = names.map((name) => {
    const isNumber = rows.every((row) => /^(-?\d+(\.\d+)?( [A-Z]{3})?)?$/.test(row.get(name) ?? ''))
    return isNumber ? `${name}>` : name
  })
  printTable(
    headings,
    rows.map((row) => names.map((name) => oneLine(row.get(name) ?? ''))),
  )
}

function moneyOf(message: ReflectMessage, amount: unknown): string {
  return moneyText(amount as bigint, String(message.get(message.desc.field['currency']!)))
}

function textOf(message: ReflectMessage, field: DescField): string {
  if (!message.isSet(field) && (field.fieldKind !== 'scalar' || field.presence === FeatureSet_FieldPresence.EXPLICIT))
    return ''
  const value: unknown = message.get(field)
  switch (field.fieldKind) {
    case 'enum':
      return wordFromEnum(field.enum, value as number) ?? ''
    case 'list':
      return [...(value as ReflectList)].map((each) => scalarText(field, each)).join(', ')
    case 'map':
      return [...(value as ReflectMap)].map(([key, each]) => `${key}=${each}`).join(', ')
    case 'scalar':
      return scalarText(field, value)
    case 'message': {
      const { desc, message: inner } = value as ReflectMessage
      const json = toJson(desc, inner)
      return typeof json === 'string' ? json : JSON.stringify(json)
    }
  }
}

function scalarText(field: DescField, value: unknown): string {
  if (field.enum !== undefined) return wordFromEnum(field.enum, value as number) ?? ''
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : String(value)
}

export function isWellKnown({ typeName }: DescMessage): boolean {
  return typeName.startsWith('google.protobuf.')
}
