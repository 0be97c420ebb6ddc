#!/usr/bin/env node
import { setSoundFlags } from '../../engine/thread/v8-flags.js'
import { audit } from './audit.js'
import { check } from './check.js'
import { checkPos } from './check-pos.js'
import type { Command, Screen } from './command.js'
import { WrongUse } from './command.js'
import { diff } from './diff.js'
import { discrepancies } from './discrepancies.js'
import { eventsWatch } from './events-watch.js'
import { explain } from './explain.js'
import { limits } from './limits.js'
import { list } from './list.js'
import { logMember } from './log-member.js'
import { memberClaim } from './member-claim.js'
import { memberMerge } from './member-merge.js'
import { memberShow, memberTier } from './member-tier.js'
import { membersImport } from './members-import.js'
import { harmless } from './plain-text.js'
import { proposalAdd, proposalApprove, proposalDecline, proposalList } from './proposal.js'
import { publish } from './publish.js'
import { reconcile } from './reconcile.js'
import { report } from './report.js'
import { returnQuote, returnRecord } from './return-change.js'
import { returnLadder, returnList } from './return-read.js'
import { rewardActivate, rewardCancel } from './reward-activate.js'
import { rewardClaim, rewardVoid } from './reward-codes.js'
import { rewardImport } from './reward-import.js'
import { rewardIssue } from './reward-issue.js'
import { rewardList } from './reward-list.js'
import { rollback } from './rollback.js'
import { schema } from './schema.js'
import { secretNew } from './secret-new.js'
import { send } from './send.js'
import { shadow } from './shadow.js'
import { sign } from './sign.js'
import { simulate } from './simulate.js'
import { tail } from './tail.js'
import { validate } from './validate.js'
import { valueAdjust, valueTransfer } from './value-change.js'
import { valueImport } from './value-import.js'
import { valueBalances, valueLiability, valueMovements } from './value-read.js'
import { venueImport } from './venue-import.js'
import { webhookAdd, webhookList, webhookRedeliver, webhookRemove } from './webhook.js'

const commands: readonly Command[] = [
  audit,
  check,
  checkPos,
  diff,
  discrepancies,
  eventsWatch,
  explain,
  limits,
  list,
  logMember,
  memberClaim,
  memberMerge,
  memberShow,
  memberTier,
  membersImport,
  proposalAdd,
  proposalApprove,
  proposalDecline,
  proposalList,
  publish,
  reconcile,
  report,
  returnLadder,
  returnList,
  returnQuote,
  returnRecord,
  rewardActivate,
  rewardCancel,
  rewardClaim,
  rewardImport,
  rewardIssue,
  rewardList,
  rewardVoid,
  rollback,
  schema,
  secretNew,
  send,
  shadow,
  sign,
  simulate,
  tail,
  validate,
  valueAdjust,
  valueBalances,
  valueImport,
  valueLiability,
  valueMovements,
  valueTransfer,
  venueImport,
  webhookAdd,
  webhookList,
  webhookRedeliver,
  webhookRemove,
]

/** The shell's exit code for an end by SIGPIPE. */
const endedByPipe = 141

const screen: Screen = {
  print: (line) => process.stdout.write(`${harmless(line)}\n`),
  tell: (line) => process.stderr.write(`${harmless(line)}\n`),
  status: (line) => process.stderr.isTTY && process.stderr.write(`\r\u001b[K${line}`),
}

// Ends quietly when the reader of the output stops reading, as `head` does.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(endedByPipe)
  })
}

setSoundFlags()
process.exitCode = await run(process.argv.slice(2))

async function run(words: readonly string[]): Promise<number> {
  const named = commands.find(({ name }) => name.split(' ').every((word, at) => words[at] === word))
  if (named === undefined) return overview(words)
  const rest = words.slice(named.name.split(' ').length)
  if (rest.includes('--help') || rest.includes('-h')) {
    screen.print(named.help)
    return 0
  }
  try {
    return await named.run(rest, screen)
  } catch (error) {
    if (!(error instanceof WrongUse) && !isOptionFault(error)) throw error
    screen.tell(`${error.message}\nlps ${named.name} --help lists the options`)
    return 2
  }
}

function overview(words: readonly string[]): number {
  const isAsked = words.length === 0 || words[0] === '--help' || words[0] === '-h' || words[0] === 'help'
  if (!isAsked) screen.tell(`lps: unknown command ${JSON.stringify(words.join(' '))}`)
  const width = Math.max(...commands.map(({ name }) => name.length))
  const list = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  const text = [
    'lps, the Loyalty Partner Service from the command line',
    '',
    ...list,
    '',
    'lps NAME --help explains a command.',
  ]
  for (const line of text) (isAsked ? screen.print : screen.tell)(line)
  return isAsked ? 0 : 2
}

/** An error of node:util for an unknown option. */
function isOptionFault(error: unknown): error is Error {
  return error instanceof TypeError && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
}
