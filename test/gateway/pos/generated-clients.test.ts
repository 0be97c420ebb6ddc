import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import t, { type Test } from 'tap'
import { openApi30 } from '../../../gateway/pos/pages/openapi-3-0.js'
import { javaOfClients, missing } from '../../clients/cases/runtimes.js'
import { type RunningService, startService, unhurried } from '../../e2e/service.js'
import { publishedDocument } from '../../support/openapi-validator.js'

const root = join(import.meta.dirname, '..', '..', '..', '..')
const sources = join(root, 'test', 'gateway', 'pos', 'generated')
/** The last version of openapi-generator on npm that has the program in its package: it reads OpenAPI 3.0. */
const jar = join(root, 'node_modules', '@openapitools', 'openapi-generator-cli', 'bin', 'openapi-generator.jar')
const skip = await missing(javaOfClients)
const run = promisify(execFile)
const document = openApi30(publishedDocument)
const sold = 'applied 7200\nrecorded\n400 lines[0].unitPrice\n'

t.setTimeout(300_000)

t.test('the document for generators is OpenAPI 3.0, whole and without words of 3.1', async (t) => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: { 'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true } },
  })
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config })
  t.same(
    problems.map(({ message, location }) => `${message} ${location[0]?.pointer}`),
    [],
  )
  const text = JSON.stringify(document)
  for (const word of ['"const"', '"anyOf"', '"oneOf"', '"type":"null"', '"identifier"'])
    t.notOk(text.includes(word), word)
  t.same(Object.keys(document['paths'] as object), Object.keys(publishedDocument.paths))
  t.match(text, '"enum":["applied","unchanged","member_not_found"]')
})

t.test('openapi-generator makes clients of it that sell a basket', { skip }, async (t) => {
  const service = await startService({ env: unhurried })
  t.teardown(() => service.stop())
  const folder = mkdtempSync(join(tmpdir(), 'generated-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const served = await (await fetch(`${service.url}/openapi-3.0.json`)).text()
  t.same((JSON.parse(served) as typeof document)['components'], JSON.parse(JSON.stringify(document['components'])))
  writeFileSync(join(folder, 'openapi.json'), served)
  // Else a package.json further up decides.
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }')
  await typescript(t, service, folder)
  await java(t, service, folder)
})

async function generate(folder: string, template: string, ...more: readonly string[]): Promise<string> {
  const out = join(folder, template)
  await run('java', ['-jar', jar, 'generate', '-i', join(folder, 'openapi.json'), '-g', template, '-o', out, ...more])
  return out
}

async function typescript(t: Test, { url, secret }: RunningService, folder: string): Promise<void> {
  const from = await generate(folder, 'typescript-fetch', '--additional-properties=typescriptThreePlus=true')
  const out = join(folder, 'compiled')
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const options = [
    '--ignoreConfig',
    '--strict',
    '--target',
    'es2022',
    '--module',
    'commonjs',
    '--moduleResolution',
    'bundler',
  ]
  await run(process.execPath, [tsc, ...options, '--outDir', out, join(from, 'index.ts')])
  const args = [join(sources, 'drive-fetch.cjs'), out, url, secret, randomUUID()]
  t.equal((await run(process.execPath, args)).stdout, sold, 'typescript-fetch')
}

async function java(t: Test, { url, secret }: RunningService, folder: string): Promise<void> {
  const properties = ['openApiNullable=false', 'hideGenerationTimestamp=true', 'java8=true', 'dateLibrary=java8']
  const from = await generate(folder, 'java', '--library', 'native', `--additional-properties=${properties.join(',')}`)
  const main = join(from, 'src', 'main', 'java')
  const files = readdirSync(main, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.java'))
  const out = join(folder, 'classes')
  // The program has Jackson and the annotations inside, which the client needs.
  const paths = ['-nowarn', '-encoding', 'UTF-8', '-cp', jar, '-d', out]
  await run('javac', [...paths, ...files.map((name) => join(main, name)), join(sources, 'Drive.java')])
  const { stdout } = await run('java', ['-cp', `${out}:${jar}`, 'Drive', url, secret, randomUUID()])
  t.equal(stdout, sold, 'java')
}
