import type { HandlerContext } from '@connectrpc/connect'
import { readDefined } from '../../../engine/programme/read-defined.js'
import { readList } from '../../../engine/programme/read-values.js'
import type { ProgrammeMember } from '../../../engine/programme/read-venue.js'
import type { MemberChange } from '../../../store/ledger/members.js'
import { type Member, MemberSchema, type UpsertMembersRequest } from '../../gen/loyalty/v1/member_service_pb.js'
import type { Commands } from '../../use-cases/commands.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks } from '../messages/fields.js'
import { partFromMember, readPart } from '../messages/programme-fields.js'
import { ValueFields } from '../messages/value-fields.js'

/** Members of one batch: reading them keeps POS callers waiting for a few milliseconds. */
const membersMax = 1_000

export async function upsertMembers(commands: Commands, request: UpsertMembersRequest, context: HandlerContext) {
  checkRequest(request)
  const { moveCards, dryRun: isDryRun } = request
  const changes = changesFrom(request)
  const reply = await sendCommand(commands.upsertMembers, [changes, { moveCards, isDryRun }], { request, context })
  const wouldMove = reply.moved.map(({ place, loyaltyId, memberId }) => {
    return { row: place, loyaltyId, fromMemberId: memberId }
  })
  return { ...reply, wouldMove }
}

type FieldName = Exclude<keyof MemberChange, 'memberId'>

/** Fields of a row other than its id, by the names of a mask. */
const fieldOfPath: ReadonlyMap<string, FieldName> = new Map(
  MemberSchema.fields
    .filter(({ name }) => name !== 'member_id')
    .map(({ name, localName }): [string, FieldName] => [name, localName as FieldName]),
)

function checkRequest({ requestId, members, updateMask, reason }: UpsertMembersRequest): void {
  const checks = new FieldChecks()
    .uuid('request_id', requestId)
    .expect('members', members.length <= membersMax, `at most ${membersMax} members`, `${members.length}`)
  new ValueFields(checks).reasonOrEmpty('reason', reason)
  const paths = updateMask?.paths ?? []
  for (const [at, path] of paths.entries()) {
    const expected = `one of ${[...fieldOfPath.keys()].join(', ')}`
    checks.expect(`update_mask.paths[${at}]`, fieldOfPath.has(path), expected, path)
  }
  checks.done()
  if (updateMask === undefined) return
  const others = [...fieldOfPath].filter(([path]) => !paths.includes(path))
  for (const [at, member] of members.entries()) {
    for (const [path, field] of others)
      checks.expect(`members[${at}].${path}`, !isGiven(member, field), 'nothing that update_mask leaves out', path)
  }
  checks.done()
}

function isGiven(member: Member, field: FieldName): boolean {
  const value = member[field]
  return Array.isArray(value) ? value.length > 0 : value !== undefined
}

/** The members of a batch by the rules of the programme; each id and each loyalty id at most once. */
function changesFrom({ members, updateMask }: UpsertMembersRequest): readonly MemberChange[] {
  const stated = new Set((updateMask?.paths ?? []).map((path) => fieldOfPath.get(path)))
  const mayLack = stated.has('loyaltyIds') ? [] : ['loyaltyIds']
  const read = readPart('members', members.map(partFromMember), (place) =>
    readList(place, (entry) => readDefined<ProgrammeMember>(entry, 'member', mayLack)),
  )
  // No mask clears `blocked`: a block ends only where a row says so.
  stated.delete('blocked')
  const isStated = (member: Member, field: FieldName) => stated.has(field) || isGiven(member, field)
  return read.map((member, at) => changeOf(member, (field) => isStated(members[at]!, field)))
}

function changeOf(member: ProgrammeMember, isStated: (field: FieldName) => boolean): MemberChange {
  const fields = [...fieldOfPath.values()].filter(isStated).map((field) => [field, member[field] ?? null])
  return { memberId: member.memberId, ...Object.fromEntries(fields) }
}
