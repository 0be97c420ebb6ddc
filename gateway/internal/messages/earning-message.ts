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
  /** Earnings of a sale now, or of the sale made; 0 for a rule without an entry. null: not known. */
  readonly wouldEarn: ByRule | null
}

/** The rules' counts of a basket, from those stored with its calculation. */
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
