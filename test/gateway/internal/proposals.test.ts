import { randomUUID } from 'node:crypto'
import t from 'tap'
import { AccessService } from '../../../gateway/gen/loyalty/v1/access_service_pb.js'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { ProposalState } from '../../../gateway/gen/loyalty/v1/programme_proposal_pb.js'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { aBasket } from '../../e2e/basket.js'
import { aDocument } from './calculation-suite.js'
import { aGrpcClient } from './grpc-client.js'
import { nameOfToken, type Served, startServed, within2s } from './served.js'

// A whole service, on a busy machine.
t.setTimeout(300_000)

const { proposeProgramme, listProposals, getProposal, approveProposal, declineProposal } = ProgrammeService.method
const { publishProgramme, getProgramme, listProgrammes, rollBack } = ProgrammeService.method
const [anna, bjorn] = ['token-of-anna', 'token-of-bjorn']
const LOYALTY_TOKENS = `reader:token-of-a-reader,support:token-of-support,marketing:${anna},marketing:${bjorn},admin:token-of-an-admin`

t.test('where a second person publishes', async (t) => {
  let served: Served
  t.before(async () => {
    served = await startServed({ LOYALTY_PUBLISH_REVIEW: 'required', LOYALTY_TOKENS })
  })
  t.after(() => served.service.stop())
  const as = (token: string) => aGrpcClient(t, served.target, token)
  const coffeeAt = (percentage: number) =>
    aDocument(({ benefits }) => {
      benefits[0].reward.percentage = percentage
    })
  const priced = async () => {
    const { json } = await served.send(
      '/v1/pos/basket',
      aBasket('ben').line({ productId: 'coffee', unitPrice: 1000 }).text(),
    )
    return json.basket?.totals.net
  }
  const newest = async () => (await as(anna).ask(getProgramme, { withoutDocument: true })).programme!

  t.test('no role publishes alone, not even an admin', async (t) => {
    t.equal((await as(anna).ask(AccessService.method.getAccess, {})).reviewRequired, true)
    const request = { document: coffeeAt(15), expectedVersion: 1 }
    for (const token of [anna, 'token-of-an-admin']) {
      t.match(await as(token).unary(publishProgramme, { requestId: randomUUID(), ...request }), {
        code: 9,
        reason: 'REVIEW_REQUIRED',
      })
    }
    t.equal((await newest()).version, 1)
  })

  t.test('a proposal is looked at by others, and published by another person alone', async (t) => {
    const requestId = randomUUID()
    const document = coffeeAt(40)
    const request = { requestId, document, expectedVersion: 1, note: 'Autumn' }
    const { proposalId } = await as(anna).ask(proposeProgramme, request)
    t.equal(proposalId, requestId)
    t.equal((await as(anna).ask(proposeProgramme, request)).proposalId, requestId, 'a repeat')
    t.match(await as(anna).unary(proposeProgramme, { ...request, note: 'Winter' }), { reason: 'REQUEST_ID_CONFLICT' })
    t.equal((await newest()).version, 1)
    const { proposals } = await as('token-of-a-reader').ask(listProposals, { state: ProposalState.OPEN })
    const author = nameOfToken('marketing', anna)
    t.match(proposals, [{ proposalId, state: ProposalState.OPEN, baseVersion: 1, note: 'Autumn', proposedBy: author }])
    const found = await as('token-of-a-reader').ask(getProposal, { proposalId })
    t.equal(found.document, document)
    t.equal((await as(bjorn).ask(getProposal, { proposalId, withoutDocument: true })).document, '')
    const approval = { requestId: randomUUID(), proposalId }
    t.match(await as('token-of-a-reader').unary(approveProposal, approval), { code: 7, reason: 'PERMISSION_DENIED' })
    t.match(await as('token-of-support').unary(declineProposal, { ...approval, reason: 'x' }), { code: 7 })
    t.match(await as(anna).unary(approveProposal, approval), { code: 9, reason: 'OWN_PROPOSAL' })
    t.equal((await as(bjorn).ask(approveProposal, approval)).version, 2)
    t.equal((await as(bjorn).ask(approveProposal, approval)).version, 2, 'a repeat')
    await within2s(t, async () => (await priced()) === 600, 'the POS gets it')
    const approver = nameOfToken('marketing', bjorn)
    t.match(await newest(), { version: 2, publishedBy: approver, proposedBy: author })
    const { programmes } = await as(anna).ask(listProgrammes, {})
    t.same(
      programmes.map(({ proposedBy }) => proposedBy),
      [author, ''],
    )
    const { records } = await as(anna).ask(AuditService.method.listAuditRecords, {
      subjectKind: 'proposal',
      subjectId: proposalId,
    })
    t.same(
      records.map(({ actor, call }) => [actor, call]),
      [
        [approver, 'ProgrammeService/ApproveProposal'],
        [author, 'ProgrammeService/ProposeProgramme'],
      ],
    )
    t.match(await as(bjorn).unary(approveProposal, { requestId: randomUUID(), proposalId }), {
      reason: 'PROPOSAL_NOT_OPEN',
      metadata: { state: 'approved' },
    })
  })

  t.test('a proposal is declined with a reason, and one of an older version cannot be approved', async (t) => {
    const propose = async (percentage: number) => {
      const request = {
        requestId: randomUUID(),
        document: coffeeAt(percentage),
        expectedVersion: (await newest()).version,
      }
      return (await as(anna).ask(proposeProgramme, request)).proposalId
    }
    const [declined, first, second] = [await propose(41), await propose(42), await propose(43)]
    const { proposal } = await as(bjorn).ask(declineProposal, {
      ...{ requestId: randomUUID(), proposalId: declined, reason: 'Too much' },
    })
    t.match(proposal, { state: ProposalState.DECLINED, reason: 'Too much', decidedBy: nameOfToken('marketing', bjorn) })
    t.ok(proposal!.decidedAt!.seconds > 0n)
    const { version } = await as(bjorn).ask(approveProposal, { requestId: randomUUID(), proposalId: first })
    t.match(await as(bjorn).unary(approveProposal, { requestId: randomUUID(), proposalId: second }), {
      reason: 'VERSION_MISMATCH',
      metadata: { current_version: String(version) },
    })
    const taken = { requestId: randomUUID(), proposalId: second, reason: 'Begun anew' }
    await as(anna).ask(declineProposal, taken)
    const { proposals, nextPageToken } = await as(anna).ask(listProposals, { pageSize: 2 })
    t.same(
      proposals.map(({ proposalId }) => proposalId),
      [second, first],
    )
    const rest = await as(anna).ask(listProposals, { pageSize: 2, pageToken: nextPageToken })
    t.equal(rest.proposals[0]?.proposalId, declined)
    t.match(await as(anna).unary(listProposals, { pageToken: nextPageToken, state: ProposalState.OPEN }), {
      reason: 'PAGE_TOKEN_INVALID',
    })
  })

  t.test('a roll-back stays possible at once', async (t) => {
    const { version } = await newest()
    const reply = await as(anna).ask(rollBack, { requestId: randomUUID(), version: 1, expectedVersion: version })
    t.match(reply, { version: version + 1, published: true })
    t.match(await newest(), { rolledBackTo: 1, publishedBy: nameOfToken('marketing', anna), proposedBy: '' })
    await within2s(t, async () => (await priced()) === 900, 'the POS gets it')
  })

  t.test('what is no proposal is refused', async (t) => {
    const { version } = await newest()
    const request = { requestId: randomUUID(), document: coffeeAt(44), expectedVersion: version }
    t.match(await as(anna).unary(proposeProgramme, { ...request, requestId: 'x', expectedVersion: -1, note: '\n' }), {
      violations: [/^request_id/, /^expected_version/, /^note/],
    })
    t.match(await as(anna).unary(proposeProgramme, { ...request, note: 'x'.repeat(501) }), { violations: [/^note/] })
    t.match(await as(anna).unary(proposeProgramme, { ...request, document: '{"benefits": 1}' }), {
      reason: 'PROGRAMME_FAULTY',
    })
    t.match(await as(anna).unary(proposeProgramme, { ...request, expectedVersion: version - 1 }), {
      reason: 'VERSION_MISMATCH',
    })
    const unknown = { requestId: randomUUID(), proposalId: randomUUID() }
    t.match(await as(anna).unary(approveProposal, unknown), { code: 5, reason: 'PROPOSAL_NOT_FOUND' })
    t.match(await as(anna).unary(declineProposal, { ...unknown, reason: 'x' }), { reason: 'PROPOSAL_NOT_FOUND' })
    t.match(await as(anna).unary(declineProposal, { ...unknown, reason: '' }), { violations: [/^reason/] })
    t.match(await as(anna).unary(getProposal, { proposalId: 'x' }), { violations: [/^proposal_id/] })
    t.match(await as(anna).unary(listProposals, { state: 9 as ProposalState }), { violations: [/^state/] })
  })
})
