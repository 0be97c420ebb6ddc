import { type Percentage, percentageOf } from '../../base/money.js'
import type { AmountOn } from '../offer.js'

/** `line_percentage` and `volume_percentage`: a percentage of the pieces' cost. */
export function linePercentage(percentage: Percentage): AmountOn {
  return (_line, _pieces, part) => percentageOf(percentage, part)
}
