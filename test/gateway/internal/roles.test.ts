import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { roleNames } from '../../../gateway/config/roles.js'
import { rolesOf } from '../../../gateway/internal/access.js'
import { methods } from '../../hostile/raw-call.js'

t.test('the table of roles is that of the proto files, and every method has a role', async (t) => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/api.md'), 'utf8')
  const rows = page
    .split('## Roles\n')[1]!
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  const inDocs = new Map<string, string>()
  for (const row of rows) {
    const [calls = '', ...marks] = row.split('|').slice(1, -1)
    const roles = ['support', 'marketing', 'admin'].filter((_, at) => marks[at]!.trim() === 'yes')
    for (const [, name] of calls.matchAll(/`([^`]+)`/g)) inDocs.set(name!, roles.join())
  }
  const changing = methods.filter((method) => rolesOf(method).length < roleNames.length)
  t.ok(changing.length > 20)
  t.same(inDocs, new Map(changing.map((method) => [`${method.parent.name}/${method.name}`, rolesOf(method).join()])))
  for (const method of methods) t.ok(rolesOf(method).includes('admin'), method.name)
})
