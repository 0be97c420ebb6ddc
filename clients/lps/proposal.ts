import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createClient } from '@connectrpc/connect'
import {
  type ProgrammeProposal,
  ProgrammeService,
  ProposalState,
} from '../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { untilReached } from './attempts.js'
import { changeLines } from './change-lines.js'
import type { Command } from './command.js'
import { onlyWord, readDocument } from './files.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { expectedFrom, newestVersion, showWarnings } from './publishing.js'
import { tableLines } from './table.js'
import { momentText, required } from './value-words.js'

/** Proposals that a list shows. */
const shown = 50

export const proposalAdd: Command = {
  name: 'proposal add',
  summary: 'propose a programme document, for another person to publish',
  help: `lps proposal add FILE

Proposes a programme document as the next version. Another person approves it, and so publishes it, or declines it. Where the service
has LOYALTY_PUBLISH_REVIEW=required, nothing is published in another way. Refused where another version was published meanwhile.

  lps validate programme.json && lps proposal add programme.json --note 'happy hour in May'

  --note TEXT         what it is for, for who looks at it: at most 500 characters
  --expect VERSION    propose only if this version is the newest. Default: the newest one now
${internalHelp}

Exit code 0: it is proposed, or in force already; 1: it was refused.`,
  async run(words, screen) {
    const options = { ...internalOptions, note: { type: 'string' }, expect: { type: 'string' } } as const
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const document = readDocument(onlyWord(positionals, 'one programme document'))
    const expected = expectedFrom(values.expect)
    const request = { requestId: randomUUID(), document, note: values.note ?? '' }
    const { url, transport } = findInternal(values, 'marketing')
    const programmes = createClient(ProgrammeService, transport)
    return await orExplained(url, screen, async () => {
      const expectedVersion = expected ?? (await newestVersion(programmes))
      const reply = await untilReached(() => programmes.proposeProgramme({ ...request, expectedVersion }))
      showWarnings(screen, reply.warnings)
      screen.print(
        reply.proposalId === ''
          ? `version ${expectedVersion} is this programme already`
          : `proposal ${reply.proposalId} waits for another person`,
      )
      return 0
    })
  },
}

export const proposalList: Command = {
  name: 'proposal list',
  summary: 'proposals, and what became of them',
  help: `lps proposal list

Lists the newest ${shown} proposals.

  --open              only those that wait for another person
${internalHelp}

Exit code 0: there are some; 1: there is none.`,
  async run(words, screen) {
    const { values } = parseArgs({ args: [...words], options: { ...internalOptions, open: { type: 'boolean' } } })
    const { url, transport } = findInternal(values, 'reader')
    const programmes = createClient(ProgrammeService, transport)
    return await orExplained(url, screen, async () => {
      const state = values.open === true ? ProposalState.OPEN : ProposalState.UNSPECIFIED
      const { proposals } = await programmes.listProposals({ pageSize: shown, state })
      for (const line of tableLines(headings, proposals.map(rowOf))) screen.print(line)
      if (proposals.length === 0) screen.tell('there is no proposal')
      return proposals.length === 0 ? 1 : 0
    })
  },
}

const headings = ['proposal', 'base>', 'proposed', 'by', 'state', 'note']

function rowOf(proposal: ProgrammeProposal): readonly string[] {
  const { proposalId, baseVersion, proposedAt, proposedBy, note } = proposal
  return [proposalId, String(baseVersion), momentText(proposedAt), proposedBy, stateText(proposal), note]
}

function stateText({ state, decidedBy, version, reason }: ProgrammeProposal): string {
  if (state === ProposalState.OPEN) return 'open'
  if (state === ProposalState.APPROVED) return `version ${version}, by ${decidedBy}`
  return `declined by ${decidedBy}: ${reason}`
}

export const proposalShow: Command = {
  name: 'proposal show',
  summary: 'what a proposal changes, and its document',
  help: `lps proposal show ID

Shows a proposal: who proposed it and why, and which benefits, currencies, earning rules, tiers and exchanges it changes of the version
that it was made from, and in which fields. What it says of venues and members is in its document.

  lps proposal show ID --document > proposed.json

  --document          only its document, as it was proposed
${internalHelp}

Exit code 0: it is shown; 1: there is none.`,
  async run(words, screen) {
    const options = { ...internalOptions, document: { type: 'boolean' } } as const
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const proposalId = onlyWord(positionals, 'one proposal id')
    const { url, transport } = findInternal(values, 'reader')
    const programmes = createClient(ProgrammeService, transport)
    return await orExplained(url, screen, async () => {
      const { proposal, document } = await programmes.getProposal({ proposalId })
      if (values.document) {
        screen.print(document)
        return 0
      }
      const { baseVersion } = proposal!
      for (const line of tableLines(headings, [rowOf(proposal!)])) screen.print(line)
      if (baseVersion === 0) {
        screen.tell('it is the first programme: everything in it is new')
        return 0
      }
      const { changes } = await programmes.diffProgrammes({
        baseVersion,
        changed: { case: 'draftDocument', value: document },
      })
      for (const change of changes) for (const line of changeLines(change)) screen.print(line)
      if (changes.length === 0)
        screen.tell(`nothing differs from version ${baseVersion} but venues and members, if they do`)
      return 0
    })
  },
}

export const proposalApprove: Command = {
  name: 'proposal approve',
  summary: "publish another person's proposal",
  help: `lps proposal approve ID

Publishes a proposal as the next version. Nobody approves their own, and none is approved once another version is in force than the one
it was made from.

${internalHelp}

Exit code 0: it is in force; 1: it was refused.`,
  async run(words, screen) {
    const { values, positionals } = parseArgs({ args: [...words], options: internalOptions, allowPositionals: true })
    const request = { requestId: randomUUID(), proposalId: onlyWord(positionals, 'one proposal id') }
    const { url, transport } = findInternal(values, 'marketing')
    const programmes = createClient(ProgrammeService, transport)
    return await orExplained(url, screen, async () => {
      const { version, warnings } = await untilReached(() => programmes.approveProposal(request))
      showWarnings(screen, warnings)
      screen.print(`version ${version} is published`)
      return 0
    })
  },
}

export const proposalDecline: Command = {
  name: 'proposal decline',
  summary: 'decline a proposal, or take back your own',
  help: `lps proposal decline ID --reason TEXT

Declines a proposal, or takes back your own.

  --reason TEXT       why, for its author: 1 to 128 characters
${internalHelp}

Exit code 0: it is declined; 1: it was refused.`,
  async run(words, screen) {
    const options = { ...internalOptions, reason: { type: 'string' } } as const
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const proposalId = onlyWord(positionals, 'one proposal id')
    const request = { requestId: randomUUID(), proposalId, reason: required('reason', values.reason) }
    const { url, transport } = findInternal(values, 'marketing')
    const programmes = createClient(ProgrammeService, transport)
    return await orExplained(url, screen, async () => {
      await untilReached(() => programmes.declineProposal(request))
      screen.print(`proposal ${proposalId} is declined`)
      return 0
    })
  },
}
