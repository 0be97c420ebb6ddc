import { move, transferableSymbol, valueSymbol, workerData } from 'piscina'
import type { Priced } from '../index.js'
import { allowChannels } from '../wire/channels.js'
import {
  type Batch,
  type BatchReply,
  ByteCollector,
  bytesAt,
  type Call,
  type Carried,
  type Reply,
  type ThreadStart,
} from './messages.js'
import { Pricer } from './pricer.js'

const { progress, channels, ...settings } = workerData as ThreadStart
allowChannels(channels)
const pricer = new Pricer(settings)

// biome-ignore lint/style/noDefaultExport: Piscina runs a file's default export.
export default function answerBatch(batch: Batch): unknown {
  for (const ticket of batch.forgotten) pricer.forget(ticket)
  for (const version of batch.dropped) pricer.dropProgramme(version)
  const collector = new ByteCollector()
  const replies = batch.calls.map((call) => {
    const reply = answerSafely(call, batch.bytes, collector)
    Atomics.add(progress, 0, 1)
    return reply
  })
  return handOver({ replies, bytes: collector.take() })
}

function handOver(reply: BatchReply): unknown {
  return move({ [transferableSymbol]: reply.bytes.buffer, [valueSymbol]: reply } as never)
}

function answerSafely(call: Call, bytes: Uint8Array, collector: ByteCollector): Reply {
  try {
    return answerCall(call, bytes, collector)
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    return { kind: 'threw', message: error.message, stack: error.stack ?? '' }
  }
}

function answerCall(call: Call, bytes: Uint8Array, collector: ByteCollector): Reply {
  switch (call.kind) {
    case 'readBasket':
      // A copy: the ticket must not keep the whole batch in memory.
      return basketReply(call, new Uint8Array(bytesAt(bytes, call.body)), collector)
    case 'priceBasket':
      return pricedReply(call, collector)
    case 'readSale':
      return saleReply(call, bytes, collector)
    case 'countSale':
      return { kind: 'counted', count: pricer.countSale(call.sale, call.facts) }
    case 'closedBenefits':
      return { kind: 'closed', benefits: pricer.closedBenefits(call.sent, call.facts) }
    case 'ladder': {
      const answer = call.answer && bytesAt(bytes, call.answer)
      const ladder = pricer.ladder(call.ticket, { facts: call.facts, answer })
      return ladder === null ? { kind: 'ticketUnknown' } : { kind: 'laddered', ladder }
    }
    case 'sameValue':
      return { kind: 'compared', same: pricer.sameValue(bytesAt(bytes, call.left), bytesAt(bytes, call.right)) }
    case 'unpack': {
      const { request, answer } = pricer.unpack(bytesAt(bytes, call.packed))
      return { kind: 'unpacked', request: collector.add(request), answer: collector.add(answer) }
    }
    case 'loadProgramme':
      return { kind: 'loaded', outline: pricer.loadProgramme(call.version, call.benefits) }
  }
}

function basketReply(
  { ticket, idempotencyKey, ahead }: Call & { readonly kind: 'readBasket' },
  body: Uint8Array,
  collector: ByteCollector,
): Reply {
  const reading = pricer.readBasket(ticket, body, idempotencyKey)
  if (reading.kind === 'refused') return reading
  const { facts, tooManyLines, arithmetic } = reading
  const priced = pricer.priceAhead(ticket, reading, ahead)
  return {
    kind: 'basketRead',
    facts: { ...facts, digest: collector.add(facts.digest) },
    tooManyLines,
    arithmetic,
    ahead: priced && carried(priced, collector),
  }
}

function pricedReply(call: Call & { readonly kind: 'priceBasket' }, collector: ByteCollector): Reply {
  const priced = pricer.priceBasket(call.ticket, call.facts)
  if (priced === null) return { kind: 'ticketUnknown' }
  return { kind: 'priced', priced: carried(priced, collector) }
}

function carried(priced: Priced, collector: ByteCollector): Carried<Priced> {
  const answer = collector.add(priced.answer)
  const packed = collector.add(priced.packed)
  const explanation = collector.add(priced.explanation)
  return { ...priced, answer, packed, explanation }
}

function saleReply(call: Call & { readonly kind: 'readSale' }, bytes: Uint8Array, collector: ByteCollector): Reply {
  const read = pricer.readSale(bytesAt(bytes, call.body), call.idempotencyKey)
  if (read.kind === 'refused') return read
  return { kind: 'saleRead', event: { ...read.event, digest: collector.add(read.event.digest) } }
}
