/** The apostrophe with which the console saves a cell that a spreadsheet would take for a formula. */
export const savedAsText = /^'(?=[=+\-@])/

export interface MemberCells {
  readonly memberId: string
  readonly loyaltyIds: string[]
  readonly segments: string[]
  readonly tier?: string
  readonly blocked?: boolean
  readonly birthday?: string
  readonly joinedOn?: string
}

export const pathOfColumn = {
  loyaltyIds: 'loyalty_ids',
  tier: 'tier',
  segments: 'segments',
  blocked: 'blocked',
  birthday: 'birthday',
  joinedOn: 'joined_on',
} as const
export type MemberColumn = 'memberId' | keyof typeof pathOfColumn

const yes = ['true', 'yes', 'ja', 'sann']
const no = ['false', 'no', 'nei', 'usann']

/**
 * Reads a row as spreadsheets of several languages write it; the service checks the rest.
 *
 * @param cell   the text of a column; empty where the file does not have it
 * @param fault  called with a column that cannot be read, and with what was expected
 */
export function memberFromCells(
  cell: (column: MemberColumn) => string,
  fault: (column: MemberColumn, expected: string) => void,
): MemberCells {
  const list = (column: 'loyaltyIds' | 'segments') =>
    cell(column)
      .split(';')
      .filter((each) => each !== '')
  const [tier, blocked] = [cell('tier'), cell('blocked').toLowerCase()]
  const [birthday, joinedOn] = [isoDay(cell('birthday')).replace(/^\d{4}-/, ''), isoDay(cell('joinedOn'))]
  if (!['', ...yes, ...no].includes(blocked)) fault('blocked', 'true, false or nothing')
  for (const column of ['memberId', 'loyaltyIds'] as const) {
    // A spreadsheet writes a long number so, and its last digits are lost.
    if (/^\d([.,]\d+)?E\+\d+$/i.test(cell(column)))
      fault(column, 'all digits: in the spreadsheet, make the column text')
  }
  return {
    memberId: cell('memberId'),
    loyaltyIds: list('loyaltyIds'),
    segments: list('segments'),
    ...(tier === '' ? {} : { tier }),
    ...(blocked === '' ? {} : { blocked: yes.includes(blocked) }),
    ...(birthday === '' ? {} : { birthday }),
    ...(joinedOn === '' ? {} : { joinedOn }),
  }
}

function isoDay(text: string): string {
  const [, day, month, year] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text) ?? []
  return day === undefined ? text : `${year}-${month!.padStart(2, '0')}-${day.padStart(2, '0')}`
}
