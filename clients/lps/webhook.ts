import { randomBytes, randomUUID } from 'node:crypto'
import { type Command, InvalidArgumentError } from 'commander'
import { idOfEvent } from '../../gateway/background/event-id.js'
import { createSendWebhook, type SendWebhook, type Sent, sendMs } from '../../gateway/background/send-webhook.js'
import { urlFault } from '../../gateway/background/webhook-address.js'
import { tlsFaultOf } from './certificates.js'
import { exits, oneLine, print, printError, WrongUse } from './screen.js'

/** A receiver is tested from anywhere; the service itself refuses inner networks. */
const everywhere = { http: 'allowed', networks: ['0.0.0.0/0', '::/0'] } as const
const closed = { http: 'refused', networks: [] } as const

export function addWebhookTest(webhook: Command): void {
  webhook
    .command('test <url>')
    .summary('send a signed sample event to a receiver')
    .description(`Sends a sample of value.earned to URL once, signed as the service signs, and prints the answer and what the service would do
with it. The member and the amount are made up: use a receiver for tests.

  lps webhook test https://crm.example/events --secret whsec_...

Exit code 0: delivered; 1: another answer, or none.`)
    .option('--secret <text>', 'the secret that CreateWebhook showed. Default: one is made and printed', secretFrom)
    .action(
      exits(async (url: string, { secret = randomBytes(32) }: { readonly secret?: Buffer }) => {
        const fault = urlFault(url, everywhere)
        if (fault !== null) throw new WrongUse(`expected ${fault}, received ${url}`)
        const delivery = sampleFor(url, secret)
        print(`POST ${url}`)
        print(`  webhook-id ${idOfEvent(delivery)}, secret whsec_${secret.toString('base64')}`)
        const startedMs = performance.now()
        const send = createSendWebhook({ reach: everywhere, timeoutMs: sendMs })
        const sent = await send(delivery, new AbortController().signal)
        print(`  ${oneLine(wordsOf(sent))}, after ${(performance.now() - startedMs).toFixed(0)} ms`)
        const refused = urlFault(url, closed)
        if (refused !== null)
          printError(
            `By default CreateWebhook expects ${refused}: see LOYALTY_WEBHOOK_HTTP and LOYALTY_WEBHOOK_NETWORKS.`,
          )
        return sent.outcome === 'delivered' ? 0 : 1
      }),
    )
}

function sampleFor(url: string, secret: Buffer): Parameters<SendWebhook>[0] {
  const body = { currencyId: 'points', amount: 120, movementId: 1, cause: `calculation:${randomUUID()}` }
  return {
    webhookId: randomUUID(),
    place: 1,
    attempt: 1,
    eventId: 1,
    atUs: Date.now() * 1_000,
    type: 'value.earned',
    memberId: randomUUID(),
    body: JSON.stringify(body),
    url,
    secret,
  }
}

function wordsOf({ outcome, text, retryAfterMs }: Sent): string {
  const again =
    retryAfterMs === undefined ? 'it is sent again' : `nothing is sent for ${retryAfterMs / 1_000} s, as it asks`
  switch (outcome) {
    case 'delivered':
      return `answered ${text}: delivered`
    case 'gone':
      return `answered ${text}: the service disables such a webhook, and sends it nothing more`
    case 'redirect':
      return `answered ${text}: a redirect is not followed; ${again}`
    case 'status':
      return `answered ${text}: not delivered; ${again}`
    case 'timeout':
      return `no answer within ${sendMs / 1_000} s; ${again}`
    default:
      return `no answer: ${tlsFaultOf(Object.assign(new Error(text), { code: text })) ?? text}; ${again}`
  }
}

function secretFrom(word: string): Buffer {
  if (!/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(word)) throw new InvalidArgumentError('expected whsec_ and base64')
  return Buffer.from(word.slice('whsec_'.length), 'base64')
}
