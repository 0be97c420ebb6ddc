import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { methodCommand, methodNamed } from '../../clients/lps/call.js'
import { codeOfReason } from '../../gateway/internal/errors.js'
import { startService } from '../e2e/service.js'

const run = promisify(execFile)
const folder = join(import.meta.dirname, '..', '..', 'docs', 'internal', 'reference')
const pages = readdirSync(folder)
  .filter((name) => name.endsWith('-service.md'))
  .map((name) => readFileSync(join(folder, name), 'utf8'))

/** The calls of all pages: their section, and the command lines in it. */
const calls = pages.flatMap((page) =>
  page
    .split('\n## Messages\n')[0]!
    .split('\n## ')
    .slice(1)
    .map((section) => ({
      section,
      curl: /^(?:curl|printf)[^`]*?(?=\nnpx)/m.exec(section)![0],
      lps: /^npx lps call (\S+)(.*)$/m.exec(section)!,
    })),
)

t.test('every call has its roles and only reasons that exist', async (t) => {
  t.ok(calls.length > 70, `${calls.length} calls`)
  for (const { section, lps } of calls) {
    t.match(section, /\nRoles: ([a-z]+, )*admin\./, lps[1]!)
    const refusals = /\nRoles: .*?Refusals: (.*)/.exec(section)?.[1] ?? ''
    for (const [, reason] of refusals.matchAll(/`([A-Z]+_[A-Z_]+)`/g))
      t.ok(reason! in codeOfReason, `${lps[1]}: ${reason}`)
  }
})

t.test('lps has every option of its lines', async (t) => {
  for (const { lps } of calls) {
    const options = methodCommand(methodNamed(lps[1]!)).options.map(({ long }) => long)
    for (const [flag] of lps[2]!.matchAll(/(?<= )--[a-z.-]+/g)) t.ok(options.includes(flag), `${lps[1]} ${flag}`)
  }
})

t.test('the service reads the request of every curl line', async (t) => {
  const token = 'a-token-of-twenty-four-letters'
  const service = await startService({ env: { LOYALTY_TOKENS: `admin:${token}` } })
  t.teardown(() => service.stop())
  for (const { curl, lps } of calls) {
    const line = `${curl.replace('http://127.0.0.1:9090', service.internalUrl)} -s --max-time 1`
    const { stdout } = await run('/bin/bash', ['-c', line], { env: { ...process.env, token } }).catch((error) => {
      // A stream does not end by itself.
      if (error.code === 28) return error as { readonly stdout: string }
      throw error
    })
    t.notMatch(
      stdout,
      /cannot decode|protocol error|UNIMPLEMENTED|UNAUTHENTICATED|INTERNAL_ERROR/,
      `${lps[1]}: ${line}`,
    )
    t.notMatch(stdout, /no such path/, lps[1]!)
  }
})
