import { parseArgs } from 'node:util'
import { readProgramme } from '../../engine/programme/read-programme.js'
import type { Command } from './command.js'
import { onlyWord, readDocument } from './files.js'

export const validate: Command = {
  name: 'validate',
  summary: 'every fault and every warning of a programme document',
  help: `lps validate FILE

Checks a programme document by the rules of the service, without a running one, and lists every fault by its path. Warnings are
about what is valid but certainly unintended: a benefit that never applies, or is always beaten.

  lps validate programme.json

  --json   faults and warnings as JSON

Exit code 0: it can be published; 1: it has faults.`,
  async run(words, { print, tell }) {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const file = onlyWord(positionals, 'one programme document')
    const read = readProgramme(readDocument(file))
    if (read.kind === 'faulty') {
      const { faults, more } = read
      if (values.json) print(JSON.stringify({ faults, more, warnings: [] }, null, 2))
      else
        for (const { path, expected, received } of faults) print(`${path}: expected ${expected}, received ${received}`)
      tell(`${file} has ${faults.length + more} fault${faults.length + more === 1 ? '' : 's'}`)
      return 1
    }
    const { warnings, programme } = read
    if (values.json) print(JSON.stringify({ faults: [], more: 0, warnings }, null, 2))
    else for (const { path, word, message } of warnings) print(`${path}: ${word}: ${message}`)
    const { venues, members, benefits, benefitsNotEnabled } = programme
    const idle =
      benefitsNotEnabled === 0
        ? ''
        : ` and ${benefitsNotEnabled} that ${benefitsNotEnabled === 1 ? 'is' : 'are'} not enabled`
    tell(
      `${file} can be published: ${venues.length} venues, ${members.length} members, ${benefits.length} benefits${idle}`,
    )
    return 0
  },
}

const options = { json: { type: 'boolean' } } as const
