import t, { type Test } from 'tap'
import { EngineFault } from '../../../engine/index.js'
import { publishDue } from '../../../gateway/use-cases/publish-due.js'

/** The failure that is stored for a due proposal whose reading, or search, ends with a fault after its time; null: none. */
async function failureOf(t: Test, publishWorst: string, fault: { readonly read?: Error; readonly search?: Error }) {
  let failure: string | null = null
  let hasDue = true
  const inTime = new AbortController()
  t.intercept(AbortSignal, 'timeout', { value: () => inTime.signal })
  const late = async <Reply>(error: Error | undefined, reply: Reply) => {
    if (error === undefined) return reply
    inTime.abort()
    throw error
  }
  const outline = { venues: [{}], benefits: [] }
  const parts = {
    publishWorst,
    log: { warn: () => {} },
    programmeReader: { read: () => late(fault.read, { kind: 'read', outline }) },
    worstSearch: { run: () => late(fault.search, null) },
    adminLedger: {
      clock: Date.now,
      venues: { find: async () => null },
      programmes: { find: async () => null },
      proposals: {
        async takeDue() {
          const due = hasDue ? { proposalId: 'p', document: '{}', acknowledgements: [], isOwn: false } : null
          hasDue = false
          return due
        },
        async fail(_proposalId: string, word: string) {
          failure = word
        },
      },
    },
  }
  const stopping = new AbortController().signal
  await publishDue(parts as unknown as Parameters<typeof publishDue>[0], stopping).catch(() => {})
  return failure
}

t.test('only a required search that does not end in its time fails the publication', async (t) => {
  const ended = Object.assign(new Error('ended'), { name: 'AbortError' })
  const lost = new EngineFault('thread_lost')
  t.equal(await failureOf(t, 'require', { search: ended }), 'WORST_UNACKNOWLEDGED')
  for (const publishWorst of ['off', 'warn', 'require'])
    t.equal(await failureOf(t, publishWorst, { read: lost }), null, `${publishWorst}: the reader is lost`)
  t.equal(await failureOf(t, 'require', { search: lost }), null, 'the thread of the search is lost')
})
