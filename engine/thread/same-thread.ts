import { type BasketRead, EngineFault, type PricingEngine } from '../index.js'
import type { ThreadSettings } from './messages.js'
import { Pricer } from './pricer.js'

const ownThread = 0

export function createSameThreadEngine(settings: ThreadSettings): PricingEngine {
  const pricer = new Pricer(settings)
  let lastTicket = 0
  return {
    waiting: 0,
    async readBasket(body, idempotencyKey, how): Promise<BasketRead> {
      const ticket = { thread: ownThread, id: ++lastTicket }
      const reading = pricer.readBasket(ticket.id, new Uint8Array(body), idempotencyKey)
      if (reading.kind === 'refused') return reading
      const { facts, tooManyLines, arithmetic } = reading
      const ahead = pricer.priceAhead(ticket.id, reading, how?.ahead ?? null)
      return { kind: 'read', ticket, facts, tooManyLines, arithmetic, ahead }
    },
    async priceBasket(ticket, facts) {
      const priced = pricer.priceBasket(ticket.id, facts)
      if (priced === null) throw new EngineFault('ticket_unknown')
      return priced
    },
    forget: (ticket) => pricer.forget(ticket.id),
    readSale: async (body, idempotencyKey) => pricer.readSale(body, idempotencyKey),
    countSale: async (sale, facts) => pricer.countSale(sale, facts),
    closedBenefits: async (sent, facts) => pricer.closedBenefits(sent, facts),
    async ladder(ticket, charged) {
      const ladder = pricer.ladder(ticket.id, charged)
      if (ladder === null) throw new EngineFault('ticket_unknown')
      return ladder
    },
    sameValue: async (left, right) => pricer.sameValue(left, right),
    unpack: async (packed) => pricer.unpack(packed),
    loadProgramme: async (version, benefits) => pricer.loadProgramme(version, benefits),
    close: async () => undefined,
  }
}
