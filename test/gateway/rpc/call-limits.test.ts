import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const root = join(import.meta.dirname, '..', '..', '..', '..')

/** Every call of the proto files by its name in log and metrics; client-streaming calls are read by their service. */
function callsOfProtos(): string[] {
  const folder = join(root, 'proto')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.proto'))
    .flatMap((name) => callsIn(readFileSync(join(folder, name), 'utf8')))
}

function callsIn(proto: string): string[] {
  return proto.split(/^service /m).flatMap((text, at) => {
    if (at === 0) return []
    const service = /^\w+/.exec(text)![0]
    return [...text.matchAll(/^ {2}rpc (\w+)\((?!stream )/gm)].map(([, call]) => `${service}/${call}`)
  })
}

t.test('exactly the calls of the proto files have limits', (t) => {
  const source = readFileSync(join(root, 'gateway', 'rpc', 'call-limits.ts'), 'utf8')
  const listed = [...source.matchAll(/^ {2,4}'(\w+\/\w+)': /gm)].map(([, call]) => call!)
  const calls = callsOfProtos()
  t.ok(calls.length > 25, `${calls.length} calls`)
  t.same([...listed].sort(), calls.sort())
  t.end()
})
