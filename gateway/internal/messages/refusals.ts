import type { ConnectError } from '@connectrpc/connect'
import { webhooksMax } from '../../../store/ledger/events.js'
import { wrongCodesMax } from '../../../store/ledger/rewards.js'
import type { Laddered } from '../../use-cases/charged-ladder.js'
import { type Commands, viewsMax } from '../../use-cases/commands.js'
import type { LineFault } from '../../use-cases/make-return.js'
import { draftsMax } from '../../use-cases/programme-commands.js'
import { type Reason, type RefusalMore, refusal } from '../errors.js'
import { quoted } from './fields.js'
import { faultyProgramme } from './programme-fields.js'

type Reply = Awaited<ReturnType<Commands[keyof Commands]>> | Exclude<Laddered, { readonly kind: 'laddered' }>

const searchRetryAfterS = 10

/** Refusals of commands and ladders. */
export type Refused = Exclude<Reply, { readonly kind: 'done' }>

/** The field of a request that a refusal is about, where it is not the usual one: by the place that the refusal names. */
export type Fields = Readonly<Partial<Record<Refused['kind'], string | ((place: number) => string)>>>

interface About extends RefusalMore {
  readonly message: string
}

interface Tools {
  /** A violation of a field; its usual name. */
  at(field: string, description: string): About
  /** As `at`, with the value that the request has there. */
  got(field: string, description: string): About
  received(field: string): string
  pathOf(field: string): string
}

type Row<Kind> = readonly [
  reason: Reason,
  about: string | ((reply: Extract<Refused, { readonly kind: Kind }>, tools: Tools) => About),
]

/** The reason of each refusal, and its text or more; a word that no command replies with any more has no place here. */
const rows = {
  request_id_conflict: ['REQUEST_ID_CONFLICT', 'the request id was used for another change'],
  reference_conflict: ['REQUEST_ID_CONFLICT', 'the reference was recorded with other lines'],

  unknown_member: ['MEMBER_NOT_FOUND', (_, { got }) => got('member', 'no such member')],
  blocked_member: ['MEMBER_BLOCKED', (_, { at }) => at('member', 'a blocked member keeps its value and cannot use it')],
  same_member: ['INVALID_REQUEST', (_, { at }) => at('to', 'expected another member')],
  card_taken: [
    'CARD_TAKEN',
    ({ cards, taken }) => {
      const violations = taken.map(({ place, item, loyaltyId, memberId }) => ({
        field: `members[${place}].loyalty_ids[${item}]`,
        description: `${loyaltyId} is a card of member ${memberId}; move_cards moves it`,
      }))
      const { loyaltyId, memberId } = taken[0]!
      return listed(violations, { metadata: { loyalty_id: loyaltyId, member_id: memberId, cards: String(cards) } })
    },
  ],
  no_card: [
    'INVALID_REQUEST',
    ({ places }) =>
      listed(
        places.map((place) => ({
          field: `members[${place}].loyalty_ids`,
          description: 'expected a list with at least one entry, for the member is new; received nothing',
        })),
      ),
  ],
  unknown_tier: ['TIER_NOT_FOUND', (_, { at }) => at('tier', 'the programme in force has no such tier')],
  past_end: ['INVALID_REQUEST', (_, { got }) => got('until', 'expected a moment to come')],

  unknown_currency: [
    'CURRENCY_NOT_FOUND',
    (_, { got }) => got('currency_id', 'expected a currency that a programme has named'),
  ],
  past_expiry: ['INVALID_REQUEST', (_, { got }) => got('expires_at', 'expected a moment to come')],
  opens_after_expiry: [
    'INVALID_REQUEST',
    ({ expiresAt }, { at }) =>
      at(
        'opens_at',
        `expected a moment before ${new Date(expiresAt).toISOString()}, when it expires by the rule of its currency`,
      ),
  ],
  out_of_range: [
    'OUT_OF_RANGE',
    (reply, { at }) =>
      at(
        'amount',
        `${'currencyId' in reply ? `the account of ${reply.currencyId}` : 'an account'} would pass 2^53 - 1`,
      ),
  ],
  insufficient: [
    'INSUFFICIENT_VALUE',
    ({ available }, { got }) => ({
      ...got('amount', `expected to take at most ${available}, which is available`),
      message: `only ${available} is available`,
      metadata: { available: String(available) },
    }),
  ],
  already_imported: [
    'ALREADY_IMPORTED',
    (reply, { at }) =>
      'place' in reply
        ? at('reference', 'this reference was imported before')
        : listed(
            reply.places.map((place) => ({ field: `codes[${place}]`, description: 'this code was imported before' })),
          ),
  ],

  unknown_code: ['CODE_NOT_FOUND', (_, { at }) => at('code', 'no such code')],
  code_not_open: [
    'CODE_NOT_OPEN',
    ({ state }, { at }) => ({
      ...at('code', `expected a code that is open; it is ${state}`),
      message: `the code is ${state}`,
      metadata: { state },
    }),
  ],
  too_many_wrong_codes: [
    'TOO_MANY_WRONG_CODES',
    ({ retryAfterMs }) => ({
      message: `${wrongCodesMax} wrong codes of this member within an hour`,
      retryAfterS: Math.max(1, Math.ceil(retryAfterMs / 1_000)),
    }),
  ],
  unknown_exchange: ['EXCHANGE_NOT_FOUND', 'the programme has no exchange between these currencies'],
  unknown_activation: ['ACTIVATION_NOT_FOUND', (_, { at }) => at('activation_id', 'no such activation')],
  nothing_unused: ['NOTHING_UNUSED', 'nothing of this activation can come back'],

  unknown_calculation: ['CALCULATION_NOT_FOUND', (_, { at }) => at('calculation_id', 'no such calculation')],
  calculation_not_open: [
    'CALCULATION_NOT_OPEN',
    ({ state }) => ({ message: `the calculation is ${state}`, metadata: { state } }),
  ],
  body_gone: ['CALCULATION_BODY_GONE', 'request and answer are no longer kept'],
  programme_not_found: ['PROGRAMME_NOT_FOUND', 'its programme version is not there'],
  unknown_sale: ['SALE_NOT_FOUND', (_, { at }) => at('calculation_id', 'no sale of this calculation that was charged')],
  not_sold: ['SALE_NOT_FOUND', (_, { at }) => at('calculation_id', 'no sale of this calculation that was charged')],
  nothing_to_settle: ['NOTHING_TO_SETTLE', 'none of these discrepancies is left to settle'],
  already_claimed: ['ALREADY_CLAIMED', (_, { at }) => at('calculation_id', 'this sale was claimed before')],
  already_moved: ['ALREADY_CLAIMED', (_, { at }) => at('calculation_id', "this sale is, or was, the member's")],
  has_member: ['SALE_HAS_MEMBER', (_, { at }) => at('calculation_id', 'a member was found for this sale')],
  no_member: [
    'SALE_HAS_NO_MEMBER',
    (_, { at }) => at('calculation_id', 'no member has this sale: ClaimSale gives it to one'),
  ],
  wrong_lines: [
    'INVALID_REQUEST',
    ({ faults }, { received }) => listed(faults.map((fault) => violationOf(fault, received))),
  ],
  too_much: [
    'INVALID_REQUEST',
    ({ place, left }, { got }) =>
      got(`lines[${place}].quantity_thousandths`, `expected at most ${left}, which is left`),
  ],

  review_required: [
    'REVIEW_REQUIRED',
    'a programme is published here by ApproveProposal, by another person than its author',
  ],
  faulty: ['PROGRAMME_FAULTY', (reply, { pathOf }) => faultyProgramme(reply, pathOf('document'))],
  search_busy: [
    'TOO_MANY_CALLS',
    () => ({ message: 'a search of worst baskets runs already', retryAfterS: searchRetryAfterS }),
  ],
  unacknowledged: [
    'WORST_UNACKNOWLEDGED',
    ({ worst }) => ({
      message: `${worst.length} worst basket${worst.length === 1 ? ' is' : 's are'} not acknowledged`,
      violations: worst.map(({ name, sentence }) => ({
        field: 'acknowledgements',
        description: `${name}: ${sentence}`,
      })),
    }),
  ],
  version_mismatch: [
    'VERSION_MISMATCH',
    ({ current }) => ({
      message: `version ${current} is in force`,
      metadata: { current_version: String(current) },
    }),
  ],
  unknown_version: ['PROGRAMME_NOT_FOUND', 'no such programme version'],
  unknown_proposal: ['PROPOSAL_NOT_FOUND', 'no such proposal'],
  proposal_not_open: [
    'PROPOSAL_NOT_OPEN',
    ({ state }) => ({ message: `the proposal is ${state}`, metadata: { state } }),
  ],
  own_proposal: ['OWN_PROPOSAL', 'another person than its author must approve a proposal'],
  unknown_draft: ['DRAFT_NOT_FOUND', 'no such draft'],
  draft_changed: [
    'DRAFT_CHANGED',
    ({ by, revision }) => ({
      message: `${by} has stored revision ${revision} of the draft`,
      metadata: { revision: String(revision), changed_by: by },
    }),
  ],
  too_many_drafts: ['TOO_MANY_DRAFTS', `there are ${draftsMax} drafts`],

  mixed_money: [
    'INVALID_REQUEST',
    ({ path, currencies }, { got }) =>
      got(
        'venue.currency',
        `expected ${currencies.join(' or ')}, since ${path} of the newest programme counts money of this venue and of others`,
      ),
  ],
  unknown_view: ['VIEW_NOT_FOUND', 'no such view of yours'],
  too_many_views: ['TOO_MANY_VIEWS', `there are ${viewsMax} such views of this list`],
  unknown_webhook: ['WEBHOOK_NOT_FOUND', (_, { at }) => at('webhook_id', 'no such webhook')],
  disabled_webhook: [
    'WEBHOOK_DISABLED',
    (_, { at }) => at('webhook_id', 'it answered 410: delete it, and add another'),
  ],
  too_many_webhooks: ['TOO_MANY_WEBHOOKS', `there are ${webhooksMax} webhooks`],
  unknown_event: [
    'EVENT_NOT_FOUND',
    ({ place }, { at }) => at(`event_ids[${place}]`, 'no such event, or it is kept no longer'),
  ],
} as const satisfies { readonly [Kind in Refused['kind']]: Row<Kind> }

/** The reasons of a reply's refusals, as `Errors:` in the comment of its call names them. */
export type ReasonsOf<Kind extends Refused['kind']> = (typeof rows)[Kind][0]

export function refusalFrom(reply: Refused, request: object = {}, fields: Fields = {}): ConnectError {
  const [reason, about] = rows[reply.kind] as Row<never>
  if (typeof about === 'string') return refusal(reason, about)
  const place = 'place' in reply ? reply.place : 0
  const pathOf = (usual: string) => {
    const named = fields[reply.kind] ?? usual
    return typeof named === 'string' ? named : named(place)
  }
  const received = (field: string) => quoted(receivedAt(request, field))
  const at = (usual: string, description: string) => listed([{ field: pathOf(usual), description }])
  const got = (usual: string, description: string) => at(usual, `${description}; received ${received(pathOf(usual))}`)
  const { message, ...more } = about(reply as never, { at, got, received, pathOf })
  return refusal(reason, message, more)
}

function listed(violations: NonNullable<RefusalMore['violations']>, more: RefusalMore = {}): About {
  const [first] = violations
  return { message: `${first?.field}: ${first?.description}`, violations, ...more }
}

function violationOf(fault: LineFault, received: (field: string) => string) {
  const violation = (name: string, expected: string) => {
    const field = `lines[${fault.place}].${name}`
    return { field, description: `expected ${expected}; received ${received(field)}` }
  }
  switch (fault.kind) {
    case 'unknown':
      return violation('line_id', 'the line_id of a line of the ladder')
    case 'twice':
      return violation('line_id', `another line than lines[${fault.first}]`)
    case 'no_part':
      return violation(
        'quantity_thousandths',
        fault.isWhole ? `a multiple of 1000 up to ${fault.bought}` : `1 to ${fault.bought}`,
      )
  }
}

/** The text of a field of a request by its path, such as `rows[3].currency_id`; for a member its id or loyalty id. Empty: none. */
function receivedAt(request: object, path: string): string {
  let value: unknown = request
  for (const name of path.match(/[^.[\]]+/g) ?? []) {
    if (typeof value !== 'object' || value === null) return ''
    value = (value as Readonly<Record<string, unknown>>)[camelCase(name)]
  }
  return textOf(value)
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '')
  return textOf((value as { readonly by?: { readonly value?: string } }).by?.value)
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
