// The reference of the internal services for the documentation site, made of the proto files and their comments: a page each service, one
// for what services share.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFileRegistry, fromBinary, ScalarType } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { getComments } from '@bufbuild/protoplugin'
import { root } from './root.mjs'

const shared = 'docs/reference/shared-messages.md'
const uuid = '1b4e28ba-2fa1-41d2-883f-0016d3cca427'

/**
 * Pages by their names in the site (`docs/reference/member-service.md`), services by name and the shared messages last.
 *
 * @param rolesOf  names of the roles that may make a call
 */
export function referencePages(rolesOf) {
  const files = readProto().filter(({ name }) => name.startsWith('loyalty/v1/'))
  const isService = ({ services }) => services.length > 0
  const methods = files.flatMap(({ services }) => services.flatMap(({ methods }) => methods))
  const ofCalls = new Set(methods.flatMap(({ input, output }) => [input, output]))
  const links = new Map(files.flatMap((file) => typesOf(file, ofCalls).map((type) => [type.typeName, linkOf(type)])))
  const reference = { rolesOf, links, ofCalls }
  return new Map([
    ...files.filter(isService).map((file) => [pageOf(file), servicePage(file, reference)]),
    [
      shared,
      sharedPage(
        files.filter((file) => !isService(file) && typesOf(file, ofCalls).length > 0),
        reference,
      ),
    ],
  ])
}

/** The `.proto` files as they are, by their names below /docs. */
export function protoFiles() {
  const folder = join('proto', 'loyalty', 'v1')
  return new Map(
    readdirSync(join(root, folder)).map((name) => [
      `${folder}/${name}`,
      readFileSync(join(root, folder, name), 'utf8'),
    ]),
  )
}

/** With comments, which generated code leaves out. */
function readProto() {
  const buf = join(root, 'node_modules', '.bin', 'buf')
  const words = ['build', join(root, 'proto'), '--as-file-descriptor-set', '-o', '-']
  const set = fromBinary(FileDescriptorSetSchema, execFileSync(buf, words, { maxBuffer: 2 ** 26 }))
  return [...createFileRegistry(set).files].sort((left, right) => left.name.localeCompare(right.name))
}

function pageOf({ name, services }) {
  if (services.length === 0) return shared
  return `docs/reference/${name.split('/').at(-1).replaceAll('_', '-')}.md`
}

/** Messages and enumerations with a heading: a call shows its request and its answer itself. */
function typesOf({ messages, enums }, ofCalls) {
  const nested = (message) => [message, ...message.nestedMessages.flatMap(nested)].filter((each) => !isEntry(each))
  const all = messages.flatMap(nested)
  return [...all.filter((message) => !ofCalls.has(message)), ...enums, ...all.flatMap(({ nestedEnums }) => nestedEnums)]
}

function isEntry(message) {
  return message.proto.options?.mapEntry ?? false
}

function linkOf(type) {
  return `../${pageOf(type.file).replace('docs/', '')}#${type.name.toLowerCase()}`
}

function servicePage(file, reference) {
  const [service] = file.services
  const types = typesOf(file, reference.ofCalls).map((type) => typeText(type, reference))
  return [
    `# ${service.name}`,
    commentOf(service),
    `[Rules for all calls](../api.md#internal-services); [reasons](../api.md#reasons); [${file.name}.proto](/docs/proto/${file.name}.proto).`,
    ...service.methods.map((method) => methodText(method, reference)),
    ...(types.length > 0 ? ['## Messages', ...types] : []),
    '',
  ].join('\n\n')
}

function sharedPage(files, reference) {
  const texts = files.flatMap((file) => typesOf(file, reference.ofCalls).map((type) => typeText(type, reference, '##')))
  return ['# Shared messages', 'Parts of messages of several services.', ...texts, ''].join('\n\n')
}

function methodText(method, reference) {
  const [about, errors] = commentOf(method).split(/ ?Errors: (.*)$/s)
  const request = exampleOf(method.input)
  return [
    `## ${method.name}`,
    about,
    `Roles: ${reference.rolesOf(method).join(', ')}. ${errors === undefined ? '' : `Refusals: ${errors.replaceAll(/\b[A-Z]+_[A-Z_]+\b/g, '`$&`')}`}`,
    fieldTable('Request', method.input, reference),
    fieldTable(method.methodKind === 'unary' ? 'Answer' : 'Each answer', method.output, reference),
    `\`\`\`sh\n${curlOf(method, request)}\n${lpsOf(method, request)}\n\`\`\``,
  ].join('\n\n')
}

function typeText(type, reference, level = '###') {
  const body = type.kind === 'enum' ? valueTable(type) : fieldTable(null, type, reference)
  return [`${level} ${type.name}`, commentOf(type), body].join('\n\n')
}

function fieldTable(title, message, reference) {
  if (message.fields.length === 0) return title === null ? 'No fields.' : `${title}: no fields.`
  const rows = message.fields.map(
    (field) => `| \`${field.name}\` | ${fieldType(field, reference)} | ${commentOf(field).replaceAll('|', '\\|')} |`,
  )
  return [`| ${title ?? 'Field'} | type | meaning |`, '|---|---|---|', ...rows].join('\n')
}

function valueTable({ values }) {
  return [
    '| value | meaning |',
    '|---|---|',
    ...values.map((value) => `| \`${value.name}\` | ${commentOf(value)} |`),
  ].join('\n')
}

function fieldType(field, { links }) {
  const type = field.message ?? field.enum
  const name = type === undefined ? ScalarType[field.scalar ?? field.mapKey]?.toLowerCase() : typeName(type, links)
  if (field.fieldKind === 'map') return `map of ${name}`
  if (field.fieldKind === 'list') return `list of ${name}`
  if (field.oneof !== undefined) return `${name}, one of \`${field.oneof.name}\``
  return field.proto.proto3Optional ? `${name}, optional` : name
}

function typeName(type, links) {
  const link = links.get(type.typeName)
  return link === undefined ? type.name : `[${type.name}](${link})`
}

function commentOf(desc) {
  const { leading = '', trailing = '' } = getComments(desc)
  return `${leading}${trailing}`.replaceAll(/\s+/g, ' ').trim()
}

/** A request as protobuf JSON: its ids and plain fields, of a choice the first. */
function exampleOf(message) {
  const shown = message.fields.filter(
    (field) =>
      !['page_token', 'dry_run'].includes(field.name) &&
      !field.proto.proto3Optional &&
      (field.oneof === undefined || field.oneof.fields[0] === field) &&
      field.scalar !== ScalarType.BOOL &&
      (field.fieldKind === 'scalar' || field.fieldKind === 'enum' || field.listKind === 'message' || isName(field)),
  )
  return Object.fromEntries(shown.map((field) => [field.jsonName, exampleValue(field)]))
}

/** A message of one choice, such as the names of a member. */
function isName({ fieldKind, message }) {
  return (
    fieldKind === 'message' && message.oneofs.length === 1 && message.oneofs[0].fields.length === message.fields.length
  )
}

function exampleValue(field) {
  if (field.fieldKind === 'list') return [exampleOf(field.message)]
  if (field.fieldKind === 'message') return exampleOf(field.message)
  if (field.fieldKind === 'enum') return field.enum.values.find(({ number }) => number !== 0).name
  if (field.scalar === ScalarType.BYTES) return Buffer.from('{}').toString('base64')
  if (field.scalar !== ScalarType.STRING) return field.name === 'page_size' ? 10 : 1
  if (['request_id', 'calculation_id', 'return_id'].includes(field.name)) return uuid
  if (field.name === 'currency') return 'NOK'
  return field.name.endsWith('_json') ? '{}' : `${field.name.replace(/_id$/, '').replaceAll('_', '-')}-1`
}

function curlOf(method, request) {
  const body = JSON.stringify(request)
  const url = `http://127.0.0.1:9090/${method.parent.typeName}/${method.name}`
  const token = '-H "Authorization: Bearer $token"'
  if (method.methodKind === 'unary')
    return `curl ${token} -H 'Content-Type: application/json' \\\n  -d '${body}' \\\n  ${url}`
  // An envelope of Connect: no flags, the length in four bytes, the message.
  const length = Buffer.byteLength(body)
  const bytes = [0, 0, 0, length >> 8, length & 255].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
  return `printf '${bytes}${body}' | curl -N ${token} -H 'Content-Type: application/connect+json' \\\n  --data-binary @- ${url}`
}

function lpsOf(method, request) {
  const flags = (part, prefix = '') =>
    Object.entries(part).flatMap(([jsonName, value]) => {
      const name = `${prefix}${jsonName.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
      if (Array.isArray(value)) return value.map((each) => `--${name} '${JSON.stringify(each)}'`)
      return typeof value === 'object' ? flags(value, `${name}.`) : [`--${name} '${value}'`]
    })
  return ['npx lps call', `${method.parent.name}/${method.name}`, ...flags(request)].join(' ')
}
