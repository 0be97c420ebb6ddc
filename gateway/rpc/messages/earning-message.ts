import type { MessageInitShape } from '@bufbuild/protobuf'
import { factorOne } from '../../../engine/core/base/earning.js'
import { textFromScaled } from '../../../engine/wire/decimal.js'
import { type RuleCountSchema, RulePerSchema } from '../../gen/loyalty/v1/calculation_service_pb.js'
import { enumFromWord } from './words.js'

interface StoredEarning {
  readonly rules: readonly {
    readonly ruleId: string
    readonly currencyId: string
    readonly per: string
    readonly factor: number
    readonly sent: number
    readonly returned: number
  }[]
}

/** Decimals of a factor. */
const factorDecimals = String(factorOne).length - 1

/** Amounts by ruleId, in the smallest units of the currency. */
type ByRule = Readonly<Record<string, number>>

interface Earned {
  readonly given: ByRule
  /** What a sale would earn now, or did; a rule that is not named: nothing. null: not known. */
  readonly wouldEarn: ByRule | null
}

/** What rules count of a basket, from what is stored with its calculation. */
export function messagesFromEarning(
  earning: string | null,
  { given, wouldEarn }: Earned,
): MessageInitShape<typeof RuleCountSchema>[] {
  if (earning === null) return []
  const { rules } = JSON.parse(earning) as StoredEarning
  return rules.map(({ ruleId, currencyId, per, factor, sent, returned }) => ({
    ruleId,
    currencyId,
    per: enumFromWord(RulePerSchema, per),
    factor: textFromScaled(factor, factorDecimals),
    sent: BigInt(sent),
    returned: BigInt(returned),
    ...(Object.hasOwn(given, ruleId) ? { given: BigInt(given[ruleId]!) } : {}),
    ...(wouldEarn === null ? {} : { wouldEarn: BigInt(Object.hasOwn(wouldEarn, ruleId) ? wouldEarn[ruleId]! : 0) }),
  }))
}
