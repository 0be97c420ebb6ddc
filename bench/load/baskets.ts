import { randomUUID } from 'node:crypto'
import type { ProgrammeMember } from '../../engine/programme/read-member.js'
import type { Programme } from '../../engine/programme/read-programme.js'
import type { ProgrammeVenue } from '../../engine/programme/read-venue.js'
import { buildBasket, type Pick } from '../pos/build-basket.js'
import { createDice, type Dice } from './dice.js'
import type { Shot } from './plan-load.js'

/** A basket ready to be sent. */
export interface Loaded {
  readonly calculationId: string
  readonly body: string
  readonly venue: ProgrammeVenue
}

/** Product groups of weighed goods in the sample programme. */
const weighedGroup = 'weighed'

/** Draws baskets for the shots of a load from the venues and members of a programme; every one has a calculationId of its own. */
export function createBaskets({ venues, members }: Programme): (shot: Shot) => Loaded {
  const known = members.filter((member) => !member.blocked)
  return (shot) => {
    const dice = createDice(shot.draw)
    const venue = venues[dice.below(venues.length)]!
    const calculationId = randomUUID()
    const basket = buildBasket(venue, {
      calculationId,
      supersedesCalculationId: null,
      loyaltyId: loyaltyIdOf(known[dice.below(known.length)]),
      requestedAt: new Date(),
      channel: dice.below(4) === 0 ? 'mpos' : 'pos',
      picks: Array.from({ length: shot.lines }, () => pick(venue, dice)),
    })
    return { calculationId, body: JSON.stringify(basket), venue }
  }
}

function loyaltyIdOf(member: ProgrammeMember | undefined): string | null {
  return member?.loyaltyIds[0] ?? null
}

function pick(venue: ProgrammeVenue, dice: Dice): Pick {
  const { productId, productGroupId } = venue.products[dice.below(venue.products.length)]!
  const quantity = productGroupId === weighedGroup ? (1 + dice.below(2000)) / 1000 : 1 + dice.below(4)
  return { productId, quantity }
}
