import { basketSchema } from '../../engine/wire/basket-schema.js'
import type { JsonSchema } from '../../engine/wire/json-schema.js'
import { returnSchema, saleSchema } from '../../engine/wire/sale-schema.js'
import type { MemberMark } from '../telemetry/pseudonym.js'
import type { OriginPeek } from '../use-cases/peek-basket.js'

/** Member and place of a call for a log record, as far as they were read. */
export interface LoggedOrigin {
  readonly member?: string
  /** venueId and cashRegisterId, as `loggedId` writes them. */
  readonly venue?: string
  readonly register?: string
}

/** The origin for the log: never the loyalty id itself, not even where a POS sent it as its register. */
export function loggedOrigin({ loyaltyId, venueId, cashRegisterId }: OriginPeek, mark: MemberMark): LoggedOrigin {
  return {
    ...(loyaltyId === null ? {} : { member: mark(loyaltyId) }),
    ...(mayStand(venueId, loyaltyId) ? { venue: loggedId(venueId) } : {}),
    ...(mayStand(cashRegisterId, loyaltyId) ? { register: loggedId(cashRegisterId) } : {}),
  }
}

/** A shorter loyalty id is part of other ids by chance. */
const partCharactersMin = 5

function mayStand(id: string | null, loyaltyId: string | null): id is string {
  if (id === null || id === loyaltyId) return false
  return loyaltyId === null || loyaltyId.length < partCharactersMin || !id.includes(loyaltyId)
}

/** Readers of the log without a JSON parser must not meet quotes, control characters or right-to-left marks. */
function loggedId(id: string): string {
  return (harmless.test(id) ? id : id.replaceAll(/[^\w.:@/+ -]/gu, '?')).slice(0, idCharactersMax)
}

const harmless = /^[\w.:@/+ -]*$/

const idCharactersMax = 64

/**
 * The path of a faulty field for the log: names of the contract and positions, such as `lines[3].noDiscount`; a name of the POS's own,
 * which may hold anything, is `*`. null: none.
 */
export function loggedField(field: unknown): string | null {
  if (typeof field !== 'string' || field === '') return null
  const steps = field.slice(0, pathCharactersMax).split('.', pathStepsMax)
  return steps.map((step) => (known.has(step.replace(position, '')) ? step : '*')).join('.')
}

const position = /\[[0-9]{1,6}\]$/
const pathCharactersMax = 256
const pathStepsMax = 8
const known: ReadonlySet<string> = new Set([
  'Idempotency-Key',
  ...namesIn(basketSchema),
  ...namesIn(saleSchema),
  ...namesIn(returnSchema),
])

function namesIn({ properties = {}, anyOf = [], items }: JsonSchema): string[] {
  const inner = [...Object.values(properties), ...anyOf, ...(items === undefined ? [] : [items])]
  return [...Object.keys(properties), ...inner.flatMap(namesIn)]
}
