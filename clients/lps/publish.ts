import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createClient } from '@connectrpc/connect'
import { ProgrammeService } from '../../gateway/gen/loyalty/v1/programme_service_pb.js'
import type { Command } from './command.js'
import { onlyWord, readDocument } from './files.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { expectedFrom, newestVersion, showWarnings } from './publishing.js'

export const publish: Command = {
  name: 'publish',
  summary: 'publish a programme document as the next version',
  help: `lps publish FILE

Publishes a programme document as the next version. Stores its venues and enrols its members; others stay, and so do
imports, blocks and forgotten members. The version is in force everywhere within 2 s and survives restarts; running calculations
finish with theirs. Refused where another version was published meanwhile.

  lps validate programme.json && lps publish programme.json

  --expect VERSION    publish only if this version is the newest. Default: the newest one now
${internalHelp}

Exit code 0: it is in force; 1: it was refused.`,
  async run(words, screen) {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const document = readDocument(onlyWord(positionals, 'one programme document'))
    const expected = expectedFrom(values.expect)
    const { url, transport } = findInternal(values, 'marketing')
    const programmes = createClient(ProgrammeService, transport)
    return await orExplained(url, screen, async () => {
      const expectedVersion = expected ?? (await newestVersion(programmes))
      const reply = await programmes.publishProgramme({ requestId: randomUUID(), document, expectedVersion })
      showWarnings(screen, reply.warnings)
      screen.print(
        reply.published
          ? `version ${reply.version} is published`
          : `version ${reply.version} is this programme already`,
      )
      return 0
    })
  },
}

const options = { ...internalOptions, expect: { type: 'string' } } as const
