import { randomUUID } from 'node:crypto'
import { type Client, createClient } from '@connectrpc/connect'
import type { Command } from 'commander'
import { readProgramme } from '../../engine/programme/read-programme.js'
import { ProgrammeService } from '../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { type InternalOptions, onInternal, reasonOf, withInternal } from './internal.js'
import { exits, print, printError } from './screen.js'
import { readDocument, several, versionFrom } from './words.js'

export function addValidate(program: Command): void {
  program
    .command('validate <file>')
    .summary('every fault and every warning of a programme document')
    .description(`Checks a programme document by the rules of the service, without a running one, and lists every fault by its path. Warnings are
about what is valid but certainly unintended: a benefit that never applies, or is always beaten.

Exit code 0: it can be published; 1: it has faults.`)
    .option('--json', 'faults and warnings as JSON')
    .action(
      exits(async (file: string, { json }: { readonly json?: boolean }) => {
        const read = readProgramme(readDocument(file))
        if (read.kind === 'faulty') {
          const { faults, more } = read
          if (json) print(JSON.stringify({ faults, more, warnings: [] }, null, 2))
          else
            for (const { path, expected, received } of faults)
              print(`${path}: expected ${expected}, received ${received}`)
          printError(`${file} has ${faults.length + more} fault${faults.length + more === 1 ? '' : 's'}`)
          return 1
        }
        const { warnings, programme } = read
        if (json) print(JSON.stringify({ faults: [], more: 0, warnings }, null, 2))
        else for (const { path, word, message } of warnings) print(`${path}: ${word}: ${message}`)
        const { venues, members, benefits, benefitsNotEnabled: off } = programme
        const idle = off === 0 ? '' : ` and ${off} that ${off === 1 ? 'is' : 'are'} not enabled`
        printError(
          `${file} can be published: ${venues.length} venues, ${members.length} members, ${benefits.length} benefits${idle}`,
        )
        return 0
      }),
    )
}

interface PublishOptions extends InternalOptions {
  readonly expect?: number
  readonly propose?: string
  readonly acknowledge?: string[]
}

export function addPublish(program: Command): void {
  const command = program
    .command('publish <file>')
    .summary('publish a programme document as the next version, or propose it')
    .description(`Publishes a programme document as the next version. Stores its venues and enrols its members; others stay, and so do
imports, blocks and forgotten members. The version is in force everywhere within 2 s and survives restarts; running calculations
finish with theirs. Refused where another version was published meanwhile.

  lps validate programme.json && lps publish programme.json

Where the service asks for it (LOYALTY_PUBLISH_WORST), it is refused until each worst basket is acknowledged by the name that the refusal and
\`lps worst\` show.

Exit code 0: it is in force, or proposed; 1: it was refused.`)
    .option('--expect <version>', 'only if this version is the newest. Default: the newest one now', versionFrom)
    .option('--propose <note>', 'propose it instead: another person looks at the note and approves it')
    .option('--acknowledge <name>', 'a worst basket that is meant; may be repeated', several)
  withInternal(command).action(
    exits(async (file: string, { expect, propose, acknowledge: acknowledgements = [], ...place }: PublishOptions) => {
      const document = readDocument(file)
      return await onInternal(place, async (transport) => {
        const programmes = createClient(ProgrammeService, transport)
        const expectedVersion = expect ?? (await newestVersion(programmes))
        const request = { requestId: randomUUID(), document, expectedVersion, acknowledgements }
        const { warnings, text } =
          propose === undefined ? await published(programmes, request) : await proposed(programmes, request, propose)
        for (const { path, word, message } of warnings) printError(`warning: ${path}: ${word}: ${message}`)
        print(text)
        return 0
      })
    }),
  )
}

type Programmes = Client<typeof ProgrammeService>

interface Request {
  readonly requestId: string
  readonly document: string
  readonly expectedVersion: number
  readonly acknowledgements: string[]
}

async function published(programmes: Programmes, request: Request) {
  const { version, published, warnings } = await programmes.publishProgramme(request)
  return { warnings, text: `version ${version} is ${published ? 'published' : 'this programme already'}` }
}

async function proposed(programmes: Programmes, request: Request, note: string) {
  const { proposalId, warnings } = await programmes.proposeProgramme({ ...request, note })
  const text =
    proposalId === ''
      ? `version ${request.expectedVersion} is this programme already`
      : `proposal ${proposalId} waits for another person`
  return { warnings, text }
}

async function newestVersion(programmes: Programmes): Promise<number> {
  try {
    return (await programmes.getProgramme({ withoutDocument: true })).programme?.version ?? 0
  } catch (error) {
    if (reasonOf(error) === 'PROGRAMME_NOT_FOUND') return 0
    throw error
  }
}
