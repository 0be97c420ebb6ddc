import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { startService, unhurried } from '../e2e/service.js'
import { printedBySample, wholeSample } from './cases/whole-sample.js'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'pos-package-'))
t.teardown(() => rmSync(folder, { recursive: true }))
t.setTimeout(180_000)

const sample = wholeSample('pos-js', 'js')

/** In a folder without anything of this repository, and without a network. */
const install = (file: string) => run('npm', ['install', '--offline', '--no-audit', '--no-fund', file], { cwd: folder })

t.before(async () => {
  await run(process.execPath, [join(root, '.ci', 'pack-pos.mjs'), folder])
  const [packed] = readdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  await install(`./${packed}`)
})

t.test('the package holds what it needs and nothing else', async (t) => {
  const installed = readdirSync(join(folder, 'node_modules', '@loyalty-partner', 'pos'))
  t.same(
    installed.filter((name) => !/\.(js|d\.ts)$/.test(name)),
    ['LICENSE', 'README.md', 'package.json'],
  )
  const sources = readdirSync(join(root, 'clients', 'pos-js')).filter((name) => name.endsWith('.ts'))
  for (const extension of ['js', 'd.ts'])
    for (const source of sources) t.ok(installed.includes(source.replace(/ts$/, extension)), `${source}, ${extension}`)
})

t.test('its README sells a first basket and takes a piece back', async (t) => {
  const service = await startService({ env: unhurried })
  t.teardown(() => service.stop())
  // A busy machine may take its time.
  const patient = sample.replace('queueFolder:', 'times: { attemptMs: 10_000, capMs: 30_000 }, queueFolder:')
  t.not(patient, sample)
  writeFileSync(join(folder, 'first-basket.js'), patient)
  const env = { ...process.env, LOYALTY_URL: service.url, LOYALTY_SECRET: service.secret, NODE_OPTIONS: '' }
  const { stdout } = await run(process.execPath, ['first-basket.js'], { cwd: folder, env })
  t.equal(stdout, printedBySample)
})

t.test('a compiler finds its types, without any other package', async (t) => {
  const compile = (name: string, text: string) => {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'consumer.ts'), text)
    const compilerOptions = { strict: true, module: 'nodenext', target: 'es2023', types: [], noEmit: true }
    writeFileSync(join(folder, name, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    return run(process.execPath, [tsc, '-p', name], { cwd: folder }).catch(({ stdout }) => {
      throw new Error(stdout)
    })
  }
  const consumer = (net: string) => `
    import { buildSale, type PosBasket, PosClient, type SaleEnding } from '@loyalty-partner/pos'
    export async function charge(basket: PosBasket, ending: SaleEnding): Promise<number> {
      const pos = await PosClient.open({ service: { url: '', secret: '' }, queueFolder: 'sales' })
      const { charged } = await pos.calculate(basket)
      await pos.record(buildSale(charged, ending))
      return charged.totals.${net}
    }`
  await compile('good', consumer('net'))
  // The globals of Node.js.
  const declared = `declare const process: { env: Record<string, string | undefined> }
    declare const crypto: { randomUUID(): string }
    declare const console: { log(...words: unknown[]): void }\n`
  await compile('readme', declared + sample)
  await t.rejects(compile('wrong', consumer('nett')), /Property 'nett' does not exist/)
})
