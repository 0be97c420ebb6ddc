import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, CommanderError } from 'commander'
import { type Programme, readProgramme } from '../../engine/programme/read-programme.js'
import type { ProgrammeVenue } from '../../engine/programme/read-venue.js'
import { setSoundFlags } from '../../engine/thread/v8-flags.js'
import { findPartner, type PartnerOptions, withPartner } from '../lps/partner.js'
import { exits, faultText } from '../lps/screen.js'
import { PosClient } from '../pos-js/pos-client.js'
import { picksFrom } from './build-basket.js'
import { createPaint } from './receipt.js'
import { sell } from './sell.js'

const sampleFile = join(import.meta.dirname, '..', '..', 'engine', 'programme', 'sample-programme.json')
const aliveMs = 3_000

const { env } = process
const paint = createPaint((process.stdout.isTTY ?? false) && !env['NO_COLOR'])
const print = (line: string): void => console.log(line)

interface DemoOptions extends PartnerOptions {
  readonly member: string
  readonly venue?: string
  readonly lines?: string
  readonly change: boolean
  readonly twice: boolean
  readonly cancel: boolean
  readonly return: boolean
}

const program = new Command('npm run demo --')
  .description(`A small POS: it looks a member up, signs a basket, asks the loyalty service what the member
gets, prints the receipt before and after, takes the payment, and reports the end of the sale.

  npm start                 first, in another terminal
  npm run demo              then this
  npm run demo -- --member bjorn --lines 2xespresso,sandwich

The programme is LOYALTY_PROGRAM, else the sample programme. NO_COLOR turns the colours off.`)
  .option(
    '--member <name>',
    'a member of the sample programme, such as anna (gold), bjorn (student), jonas (blocked); a loyaltyId such as TEST-20-PERCENT, TEST-UNCHANGED or TEST-NOT-FOUND; or none: the guest has no card',
    'anna',
  )
  .option('--venue <id>', 'oslo-cafe, bergen-bakery, helsinki-shop or oslo-club. Default: the first of the programme')
  .option('--lines <what>', 'a number of lines, such as 20; or products, such as 3xcinnamon-bun,0.35xbrown-cheese')
  .option('--change', 'the guest adds one thing after the calculation: a second one supersedes the first', false)
  .option('--twice', 'everything is sent twice with the same key: the second answer is a replay', false)
  .option('--return', 'a piece of the first product comes back after the sale', false)
  .option('--cancel', 'the payment is abandoned: reservations are released', false)
  .allowExcessArguments(false)
  .exitOverride()
  .configureOutput({ outputError: () => {} })

setSoundFlags()
try {
  await withPartner(program).action(exits(demonstrate)).parseAsync()
} catch (error) {
  if (!(error instanceof CommanderError)) process.exitCode = refuse((error as Error).message, 2)
  else if (error.exitCode !== 0)
    process.exitCode = refuse(`${faultText(error)}\n${paint.dim('npm run demo -- --help lists the options')}`, 2)
}

async function demonstrate(options: DemoOptions): Promise<number> {
  const programme = readProgrammeFile(env['LOYALTY_PROGRAM'] || sampleFile)
  const venue = venueOf(programme, options.venue)
  const picks = picksFrom(venue, options.lines)
  const service = findPartner(options)
  const { url } = service
  if (!(await isAlive(url))) {
    return refuse(`No loyalty service answers at ${url}.\nStart it in another terminal with: npm start`, 1)
  }
  const queueFolder = join(env['LOYALTY_DATA'] || '.data', 'demo-sales')
  const pos = await PosClient.open({ service, queueFolder })
  const member = memberOf(programme, options.member)
  print(paint.bold(venue.name))
  print(`  ${member.words}`)
  const { change, twice, cancel, return: bringsBack } = options
  const discountCode = env['LOYALTY_DISCOUNT_CODE'] || 'THIRD_PARTY_LOYALTY'
  const sale = { pos, venue, picks, loyaltyId: member.loyaltyId, change, twice, cancel, bringsBack, discountCode }
  const isSold = await sell(sale, { print, paint })
  await pos.close()
  return isSold ? 0 : 1
}

function refuse(message: string, code: number): number {
  console.error(paint.red(message))
  return code
}

function readProgrammeFile(file: string): Programme {
  const read = readProgramme(readFileSync(file, 'utf8'))
  if (read.kind === 'read') return read.programme
  const [first] = read.faults
  throw new Error(`${file} is no programme: ${first?.path} must be ${first?.expected}, not ${first?.received}`)
}

function venueOf({ venues }: Programme, venueId: string | undefined): ProgrammeVenue {
  const venue = venueId === undefined ? venues[0] : venues.find((candidate) => candidate.venueId === venueId)
  if (venue === undefined)
    throw new Error(`no venue ${venueId}; there are ${venues.map((each) => each.venueId).join(', ')}`)
  return venue
}

function memberOf({ members }: Programme, name: string): { loyaltyId: string | null; words: string } {
  if (name === 'none') return { loyaltyId: null, words: 'The guest has no card.' }
  const member = members.find(
    ({ memberId, loyaltyIds }) => loyaltyIds.includes(name) || memberId === name || memberId === `m-${name}`,
  )
  if (member === undefined) return { loyaltyId: name, words: `The terminal found the card ${name}.` }
  const about = [member.tier, ...member.segments, member.blocked ? 'blocked' : null].filter((word) => word !== null)
  const loyaltyId = member.loyaltyIds.includes(name) ? name : member.loyaltyIds[0]!
  return { loyaltyId, words: `The terminal found ${loyaltyId}${about.length > 0 ? ` (${about.join(', ')})` : ''}.` }
}

async function isAlive(url: string): Promise<boolean> {
  try {
    await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(aliveMs) })
    return true
  } catch {
    return false
  }
}
