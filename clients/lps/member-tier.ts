import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { toJson } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import { TierSource } from '../../gateway/gen/loyalty/v1/enums_pb.js'
import {
  GetMemberResponseSchema,
  MemberService,
  type MemberStanding,
} from '../../gateway/gen/loyalty/v1/member_service_pb.js'
import { untilReached } from './attempts.js'
import { type Command, type Screen, WrongUse } from './command.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { dated, memberFrom, memberHelp, memberOptions, momentFrom, momentText, required } from './value-words.js'

export const memberShow: Command = {
  name: 'member show',
  summary: 'a member, with its dates, tier and visits',
  help: `lps member show (--member ID | --card ID)

Shows a member as it is stored, the tier by which audiences go and until when it is kept, and how many sales were recorded.

${memberHelp}
  --json              as JSON
${internalHelp}`,
  async run(words, screen) {
    const options = { ...internalOptions, ...memberOptions, json: { type: 'boolean' } } as const
    const { values } = parseArgs({ args: [...words], options })
    const { by } = memberFrom(values)
    const { url, transport } = findInternal(values, 'reader')
    return await orExplained(url, screen, async () => {
      const found = await createClient(MemberService, transport).getMember({ by: by! })
      if (values.json) {
        screen.print(JSON.stringify(toJson(GetMemberResponseSchema, found)))
        return 0
      }
      const { memberId, loyaltyIds, segments, blocked, birthday, joinedOn } = found.member!
      screen.print(`member      ${memberId}${blocked ? ', blocked' : ''}`)
      screen.print(`loyalty ids ${loyaltyIds.join(', ')}`)
      if (segments.length > 0) screen.print(`segments    ${segments.join(', ')}`)
      if (birthday !== undefined) screen.print(`birthday    ${birthday}`)
      if (joinedOn !== undefined) screen.print(`joined on   ${joinedOn}`)
      printStanding(found.standing!, screen)
      return 0
    })
  },
}

export const memberTier: Command = {
  name: 'member tier',
  summary: 'give a member a tier until a time, or end it',
  help: `lps member tier (--member ID | --card ID) (--tier ID --until TIME | --end) --reason TEXT

Gives a member a tier of the programme in force, whatever it has earned. It wins until the time given. With --end what was given ends,
and what the member has earned counts again.

  lps member tier --card LOY-ANNA --tier gold --until 2027-07-01T00:00:00Z --reason "tier match"
  lps member tier --card LOY-ANNA --end --reason "given by mistake"

${memberHelp}
  --tier ID           as in the programme
  --until TIME        when it ends, such as 2027-07-01T00:00:00Z
  --end               ends what was given
  --reason TEXT       for support: 1 to 128 characters
${internalHelp}`,
  async run(words, screen) {
    const { values } = parseArgs({ args: [...words], options: tierOptions })
    const { tier = '', until, end = false } = values
    if (end === (tier !== '') || end === (until !== undefined)) {
      throw new WrongUse('expected either --tier and --until, or --end')
    }
    const request = {
      requestId: randomUUID(),
      member: memberFrom(values),
      tier,
      reason: required('reason', values.reason),
      ...dated('until', momentFrom('until', until)),
    }
    const { url, transport } = findInternal(values, 'support')
    const client = createClient(MemberService, transport)
    return await orExplained(url, screen, async () => {
      const { standing } = await untilReached(() => client.setTier(request))
      printStanding(standing!, screen)
      return 0
    })
  },
}

const tierOptions = {
  ...internalOptions,
  ...memberOptions,
  tier: { type: 'string' },
  until: { type: 'string' },
  end: { type: 'boolean' },
  reason: { type: 'string' },
} as const

function printStanding({ tier, tierSource, tierUntil, tierReason, visits }: MemberStanding, { print }: Screen): void {
  if (tier === undefined) print('tier        none')
  else {
    const until = tierUntil === undefined ? '' : `, until ${momentText(tierUntil)}`
    print(`tier        ${tier}, ${sourceText(tierSource)}${until}${tierReason === '' ? '' : `: ${tierReason}`}`)
  }
  print(`visits      ${visits}`)
}

function sourceText(source: TierSource): string {
  switch (source) {
    case TierSource.SET:
      return 'set'
    case TierSource.EARNED:
      return 'earned'
    default:
      return 'stored with the member'
  }
}
