import { percentageWhole } from '../core/base/money.js'
import type { Guard, GuardRule } from '../core/base/programme.js'
import type { Place } from './place.js'
import { readSelect } from './read-selector.js'
import { type Once, openFields, readOptional, readPercentage, readWord } from './read-values.js'
import { readOwn } from './read-venue.js'

const guardFields = ['guardId', 'select', 'never', 'atMostPercentage', 'netAtLeast'] as const
const netFields = ['percentage', 'percentageOf', 'posDiscountPercentage'] as const

export function readGuard(place: Place, guardIds: Once): Guard {
  const at = openFields(place, guardFields)
  const never = readOptional(at('never'), (word) => readWord(word, ['discounted']))
  const atMost = readOptional(at('atMostPercentage'), readPercentage)
  const net = readOptional(at('netAtLeast'), readNet)
  const rules: GuardRule[] = [
    ...(never === null ? [] : [{ kind: 'never_discounted' } as const]),
    ...(atMost === null ? [] : [{ kind: 'at_most', percentage: atMost } as const]),
    ...(net === null ? [] : [net]),
  ]
  if (rules.length !== 1) place.fault('one of never, atMostPercentage and netAtLeast')
  return {
    guardId: readOwn(at('guardId'), guardIds),
    ...readSelect(at('select')),
    rule: rules[0] ?? { kind: 'never_discounted' },
  }
}

function readNet(place: Place): GuardRule {
  const at = openFields(place, netFields)
  readWord(at('percentageOf'), ['unitPrice'])
  const percentage = readPercentage(at('percentage'))
  const posDiscount = readOptional(at('posDiscountPercentage'), readPercentage)
  if (percentage + (posDiscount ?? 0) > percentageWhole)
    place.fault('at most 100 as percentage and posDiscountPercentage together')
  return { kind: 'net_at_least', percentage, posDiscount }
}
