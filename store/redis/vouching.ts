import type { Cache, Mark } from '../cache.js'
import type { CacheParts } from './cache-parts.js'
import { bucketCount } from './keys.js'
import { replyWord, runScript } from './scripts.js'

const buckets = Array.from({ length: bucketCount }, (_, bucket) => bucket)

/** The marks that vouch for the buckets' memory: whatever loses memory loses them, or does not have the right ones. */
export function createVouching({ client, keys, callMs }: CacheParts): Pick<Cache, 'survey' | 'vouch'> {
  return {
    async survey(nonce) {
      const replies = await Promise.allSettled(buckets.map((bucket) => surveyOne(bucket, nonce)))
      const marks = replies.flatMap((reply) => (reply.status === 'fulfilled' ? reply.value : []))
      const fault = replies.find((reply) => reply.status === 'rejected')
      // A part of a cluster that is away is surveyed when it is back.
      if (fault !== undefined && marks.length === 0) throw fault.reason
      return marks
    },
    async vouch(marks) {
      const replies = await Promise.allSettled(marks.map(vouchOne))
      return replies.flatMap((reply) => (reply.status === 'fulfilled' ? reply.value : []))
    },
  }

  async function surveyOne(bucket: number, nonce: string): Promise<Mark> {
    const reply = await runScript(client, 'survey', { keys: [keys.vouched(bucket)], args: [nonce], timeMs: callMs })
    return { bucket, vouched: replyWord(reply) === 'vouched', mark: String(reply[1]) }
  }

  async function vouchOne({ bucket, mark }: Mark): Promise<readonly Mark[]> {
    const reply = await runScript(client, 'vouch', { keys: [keys.vouched(bucket)], args: [mark], timeMs: callMs })
    return replyWord(reply) === 'vouched' ? [{ bucket, vouched: true, mark: String(reply[1]) }] : []
  }
}
