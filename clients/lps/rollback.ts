import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createClient } from '@connectrpc/connect'
import { ProgrammeService } from '../../gateway/gen/loyalty/v1/programme_service_pb.js'
import type { Command } from './command.js'
import { onlyWord } from './files.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { versionFrom } from './version-word.js'

export const rollback: Command = {
  name: 'rollback',
  summary: 'publish the benefits of an earlier version again',
  help: `lps rollback VERSION

Publishes the benefits of an earlier version as the next one. Venues and members stay as they are. lps diff --version VERSION shows
what that changes. Refused where another version was published meanwhile.

  lps rollback 7

  --expect VERSION    only if this version is the newest. Default: the newest one now
${internalHelp}

Exit code 0: these benefits are in force; 1: it was refused.`,
  async run(words, screen) {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const version = versionFrom('VERSION', onlyWord(positionals, 'one version'))
    const expected = values.expect === undefined ? null : versionFrom('--expect', values.expect)
    const { url, transport } = findInternal(values, 'marketing')
    const programmes = createClient(ProgrammeService, transport)
    return await orExplained(url, screen, async () => {
      const newest = async () => (await programmes.getProgramme({ withoutDocument: true })).programme!.version
      const expectedVersion = expected ?? (await newest())
      const reply = await programmes.rollBack({ requestId: randomUUID(), version, expectedVersion })
      screen.print(
        reply.published
          ? `version ${reply.version} is published, with the benefits of version ${version}`
          : `version ${reply.version} has the benefits of version ${version} already`,
      )
      return 0
    })
  },
}

const options = { ...internalOptions, expect: { type: 'string' } } as const
