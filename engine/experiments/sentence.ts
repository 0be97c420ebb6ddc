import { digitsOf } from '../programme/currency-digits.js'
import { type Comparison, membersMin } from './answer.js'

export interface ExperimentNames {
  readonly subject: string
  /** The arm that it is compared with; absent: the holdout. */
  readonly against?: string
  readonly metric: 'net' | 'visits'
  readonly currency: string
  readonly isOver: boolean
  readonly membersLeast: number
}

type Said = Pick<Comparison, 'verdict' | 'difference' | 'given' | 'daysLeft'>

/** Such as "Happy hour brings 3.10 to 7.40 NOK a member and week, after the 2.20 that it costs: it pays." */
export function experimentSentence({ verdict, difference, given, daysLeft }: Said, names: ExperimentNames): string {
  const { subject, metric, currency, membersLeast } = names
  if (verdict === 'split_broken') return 'No answer: the arms do not have the members that their shares give.'
  if (verdict === 'too_little' || !difference) {
    if (membersLeast >= membersMin) return 'Too early: all members have bought alike so far.'
    return `Too early: each arm needs ${membersMin} members, and the smallest has ${membersLeast}.`
  }
  const figure = metric === 'net' ? (value: number) => moneyText(value, currency) : (value: number) => value.toFixed(2)
  const unit = metric === 'net' ? currency : 'visits'
  const { low, high } = difference
  if (verdict === 'not_yet_known') {
    const range = `between ${signed(figure(low))} and ${signed(figure(high))} ${unit} a member and week`
    return names.isOver
      ? `Not known: ${range} when it ended.`
      : `Not yet known: ${range}; ${daysLeft === null ? 'no end in sight' : daysText(daysLeft)} at this pace.`
  }
  const than = names.against === undefined ? '' : ` more than ${names.against}`
  const cost = moneyText(given, currency)
  const brings = `${subject} brings ${figure(low)} to ${figure(high)} ${unit}${than} a member and week`
  if (metric === 'visits') return `${brings}, and costs ${cost} ${currency}.`
  return `${brings}, after the ${cost} that it costs: it ${verdict === 'pays' ? 'pays' : 'does not pay'}.`
}

function daysText(days: number): string {
  return days === 1 ? 'about 1 more day' : `about ${days} more days`
}

function signed(text: string): string {
  return text.startsWith('-') ? text : `+${text}`
}

function moneyText(minor: number, currency: string): string {
  const digits = digitsOf(currency)
  return (minor / 10 ** digits).toLocaleString('en-GB', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
}
