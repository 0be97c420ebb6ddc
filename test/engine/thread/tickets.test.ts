import t from 'tap'
import { createProgrammeShelf, versionsMax } from '../../../engine/thread/programme-shelf.js'
import { Tickets, ticketBytesMax, ticketsMax } from '../../../engine/thread/tickets.js'
import { type ReadBasket, readBasket } from '../../../engine/wire/read-basket.js'
import { basketBody, bytesOf, calculationId } from '../wire/basket-body.js'

function aBasket(padding = 0): ReadBasket {
  const reading = readBasket(bytesOf({ ...basketBody(), pos: 'x'.repeat(padding) }), calculationId, 200)
  if (reading.kind === 'refused') throw new Error(reading.refusal.message)
  return reading
}

t.test('finds a ticket until it is forgotten', async (t) => {
  const tickets = new Tickets()
  const basket = aBasket()
  tickets.add(1, basket)
  t.equal(tickets.find(1), basket)
  t.equal(tickets.find(2), undefined)
  tickets.forget(1)
  tickets.forget(1)
  t.equal(tickets.find(1), undefined)
})

t.test('drops the oldest where there are too many', async (t) => {
  const tickets = new Tickets()
  const basket = aBasket()
  for (let ticket = 0; ticket < ticketsMax * 3; ticket++) tickets.add(ticket, basket)
  t.equal(tickets.size, ticketsMax)
  t.equal(tickets.find(ticketsMax * 2 - 1), undefined)
  t.equal(tickets.find(ticketsMax * 2), basket)
})

t.test('drops the oldest where they are too large, and counts forgotten ones', async (t) => {
  const tickets = new Tickets()
  const basket = aBasket(250_000)
  const fitting = Math.floor(ticketBytesMax / basket.json.footprint)
  for (let round = 0; round < 3; round++) {
    for (let ticket = 0; ticket < fitting * 2; ticket++) tickets.add(ticket, basket)
    t.equal(tickets.size, fitting)
    for (let ticket = 0; ticket < fitting * 2; ticket++) tickets.forget(ticket)
    t.equal(tickets.size, 0)
  }
})

t.test('drops the version that has been unused the longest', async (t) => {
  const shelf = createProgrammeShelf()
  for (let version = 1; version <= versionsMax; version++) t.strictSame(shelf.use(version), [])
  t.strictSame(shelf.use(1), [])
  t.strictSame(shelf.use(versionsMax + 1), [2])
  t.strictSame(shelf.use(versionsMax + 2), [3])
})

t.test('never drops a built-in version', async (t) => {
  const shelf = createProgrammeShelf()
  for (let version = 0; version <= versionsMax; version++) t.strictSame(shelf.use(version), [])
  t.strictSame(shelf.use(versionsMax + 1), [1])
})
