import type { MessageInitShape } from '@bufbuild/protobuf'
import type { AdminLedger } from '../../../store/ledger.js'
import type { ListMembersRequest, ListMembersResponseSchema } from '../../gen/loyalty/v1/member_service_pb.js'
import { FieldChecks } from '../messages/fields.js'
import { messageFromMember } from '../messages/member-part.js'
import { cutPage, pageToken, readPage } from '../messages/page-token.js'

export async function listMembers(
  { members }: Pick<AdminLedger, 'members'>,
  request: ListMembersRequest,
): Promise<MessageInitShape<typeof ListMembersResponseSchema>> {
  const { case: by = 'memberIdPrefix', value: prefix = '' } = request.by
  const field = by === 'memberIdPrefix' ? 'member_id_prefix' : 'loyalty_id_prefix'
  new FieldChecks().expect(field, /^[^\0\p{Cs}]{0,64}$/u.test(prefix), 'at most 64 characters', prefix).done()
  const filters = [by, prefix]
  const page = readPage(request, 'ListMembers', { filters, form: ['string'] })
  const rows = { after: (page.after?.[0] as string | undefined) ?? null, limit: page.size + 1 }
  const found =
    by === 'memberIdPrefix'
      ? (await members.listById(prefix, rows)).map((member) => ({ key: member.memberId, loyaltyId: '', member }))
      : (await members.listByLoyaltyId(prefix, rows)).map((row) => ({ key: row.loyaltyId, ...row }))
  const { rows: shown, nextPageToken } = cutPage(found, page, ({ key }) => pageToken('ListMembers', filters, [key]))
  return {
    members: shown.map(({ member, loyaltyId }) => ({ member: messageFromMember(member), loyaltyId })),
    nextPageToken,
  }
}
