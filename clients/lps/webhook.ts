import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createClient } from '@connectrpc/connect'
import { DeliveryState, EventService, type Webhook } from '../../gateway/gen/loyalty/v1/event_service_pb.js'
import { untilReached } from './attempts.js'
import { type Command, WrongUse } from './command.js'
import { onlyWord } from './files.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { tableLines } from './table.js'
import { momentText } from './value-words.js'

/** Failed deliveries that a list shows of each webhook. */
const failedShown = 20

export const webhookAdd: Command = {
  name: 'webhook add',
  summary: 'send events to an address, and show the key of their signatures',
  help: `lps webhook add URL

Sends every event from now on to an https:// address, signed as Standard Webhooks has it. The secret is shown this once.

  lps webhook add https://crm.example/loyalty --type value.earned --type tier.changed

  --type TYPE         only this type; may be repeated. Default: every one
${internalHelp}`,
  async run(words, screen) {
    const options = { ...internalOptions, type: { type: 'string', multiple: true } } as const
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const request = { requestId: randomUUID(), url: onlyWord(positionals, 'one URL'), types: values.type ?? [] }
    const { url, transport } = findInternal(values, 'admin')
    const client = createClient(EventService, transport)
    return await orExplained(url, screen, async () => {
      const { webhook, secret } = await untilReached(() => client.createWebhook(request))
      screen.print(`webhook  ${webhook?.webhookId}`)
      screen.print(`secret   ${secret}`)
      return 0
    })
  },
}

export const webhookList: Command = {
  name: 'webhook list',
  summary: 'webhooks, and what they did not take',
  help: `lps webhook list

Lists the webhooks, how many deliveries of each are pending and were given up, and the newest ${failedShown} that were given up.

${internalHelp}`,
  async run(words, screen) {
    const { values } = parseArgs({ args: [...words], options: internalOptions })
    const { url, transport } = findInternal(values, 'reader')
    const client = createClient(EventService, transport)
    return await orExplained(url, screen, async () => {
      const { webhooks } = await client.listWebhooks({})
      const rows = webhooks.map(({ webhookId, url, types, createdAt, pending, failed, ...health }) => [
        ...[webhookId, momentText(createdAt), String(pending), String(failed), healthText(health), url],
        types.join(', ') || 'every type',
      ])
      for (const line of tableLines(['webhook', 'added', 'pending>', 'failed>', 'state', 'URL', 'types'], rows))
        screen.print(line)
      for (const { webhookId, failed } of webhooks) {
        if (failed === 0n) continue
        const state = DeliveryState.FAILED
        const { deliveries } = await client.listDeliveries({ webhookId, state, pageSize: failedShown })
        const lines = deliveries.map(({ event, attempts, outcome, dueAt }) => [
          ...[webhookId, event!.eventId, event!.type, String(attempts), outcome, momentText(dueAt)],
        ])
        screen.print('')
        for (const line of tableLines(['given up', 'event', 'type', 'attempts>', 'outcome', 'at'], lines))
          screen.print(line)
      }
      if (webhooks.length === 0) screen.tell('there is no webhook')
      return 0
    })
  },
}

function healthText({
  failingSince,
  failing,
  disabledAt,
}: Pick<Webhook, 'failingSince' | 'failing' | 'disabledAt'>): string {
  if (disabledAt !== undefined) return `disabled ${momentText(disabledAt)}`
  if (failingSince === undefined) return 'well'
  return `${failing ? 'failing' : 'attempts fail'} since ${momentText(failingSince)}`
}

export const webhookRemove: Command = {
  name: 'webhook remove',
  summary: 'send nothing more to a webhook',
  help: `lps webhook remove WEBHOOK

Deletes a webhook with its deliveries. Events that it has not got are not sent.

${internalHelp}`,
  async run(words, screen) {
    const { values, positionals } = parseArgs({ args: [...words], options: internalOptions, allowPositionals: true })
    const request = { requestId: randomUUID(), webhookId: onlyWord(positionals, 'one webhook') }
    const { url, transport } = findInternal(values, 'admin')
    const client = createClient(EventService, transport)
    return await orExplained(url, screen, async () => {
      await untilReached(() => client.deleteWebhook(request))
      screen.print('the webhook is removed')
      return 0
    })
  },
}

export const webhookRedeliver: Command = {
  name: 'webhook redeliver',
  summary: 'send events to a webhook once more',
  help: `lps webhook redeliver WEBHOOK [EVENT ...]

Sends events once more, with the ids they had. Without an event: those that were given up, the oldest 1000.

${internalHelp}`,
  async run(words, screen) {
    const { values, positionals } = parseArgs({ args: [...words], options: internalOptions, allowPositionals: true })
    const [webhookId, ...eventIds] = positionals
    if (webhookId === undefined) throw new WrongUse('expected a webhook')
    const request = { requestId: randomUUID(), webhookId, eventIds }
    const { url, transport } = findInternal(values, 'admin')
    const client = createClient(EventService, transport)
    return await orExplained(url, screen, async () => {
      const { events } = await untilReached(() => client.redeliverEvents(request))
      screen.print(`${events} ${events === 1 ? 'event is' : 'events are'} sent once more`)
      return 0
    })
  },
}
