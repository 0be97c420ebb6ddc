import type { EventName } from '../../store/ledger/events.js'

const form = /^evt_(\d{1,16})_(\d{1,16})$/

/** The public id of an event: from the ledger's number and the time, because a failover may reuse numbers. */
export function idOfEvent({ eventId, atUs }: EventName): string {
  return `evt_${eventId}_${atUs}`
}

/** null: no id of an event. */
export function eventFromId(id: string): EventName | null {
  const [, eventId, atUs] = (form.exec(id) ?? []).map(Number)
  const isExact = Number.isSafeInteger(eventId) && Number.isSafeInteger(atUs)
  return isExact ? { eventId: eventId!, atUs: atUs! } : null
}
