import { parseArgs } from 'node:util'
import { toJson } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import { DiffProgrammesResponseSchema, ProgrammeService } from '../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { changeLines } from './change-lines.js'
import { type Command, WrongUse } from './command.js'
import { readDocument } from './files.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { versionFrom } from './version-word.js'

export const diff: Command = {
  name: 'diff',
  summary: 'what a draft or another version changes of a programme',
  help: `lps diff [FILE]

Compares a programme document with the version in force, or two versions: which benefits, currencies, earning rules, tiers and
exchanges are added, changed and removed, and in which fields.

  lps diff programme.json
  lps diff --base 7 --version 8

  --base N            the version that is compared with. Default: the one in force
  --version N         this version instead of a file
  --json              the changes as JSON
${internalHelp}

Exit code 0: nothing differs; 1: something does.`,
  async run(words, screen) {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const [file, ...others] = positionals
    if (others.length > 0 || (file === undefined) === (values.version === undefined))
      throw new WrongUse('expected one programme document, or --version')
    const changed =
      file === undefined
        ? ({ case: 'version', value: versionFrom('--version', values.version!) } as const)
        : ({ case: 'draftDocument', value: readDocument(file) } as const)
    const baseVersion = values.base === undefined ? 0 : versionFrom('--base', values.base)
    const { url, transport } = findInternal(values, 'reader')
    return await orExplained(url, screen, async () => {
      const found = await createClient(ProgrammeService, transport).diffProgrammes({ baseVersion, changed })
      if (values.json) screen.print(JSON.stringify(toJson(DiffProgrammesResponseSchema, found), null, 2))
      else for (const change of found.changes) for (const line of changeLines(change)) screen.print(line)
      const { length } = found.changes
      screen.tell(
        length === 0
          ? `nothing differs from version ${found.baseVersion}`
          : `${length} ${length === 1 ? 'part differs' : 'parts differ'} from version ${found.baseVersion}`,
      )
      return length === 0 ? 0 : 1
    })
  },
}

const options = {
  ...internalOptions,
  base: { type: 'string' },
  version: { type: 'string' },
  json: { type: 'boolean' },
} as const
