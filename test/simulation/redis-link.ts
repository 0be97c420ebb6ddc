import { StoreFault } from '../../store/fault.js'
import type { Client } from '../../store/redis/client.js'
import { faultFromError } from '../../store/redis/faults.js'
import type { Gateway } from './gateway-place.js'
import type { World } from './world.js'

interface Call {
  readonly command: string
  readonly args: readonly (string | number | Uint8Array)[]
  readonly resolve: (reply: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Batch {
  readonly turn: number
  readonly timeMs: number
  readonly calls: Call[]
}

/** One connection to the simulated Redis: commands of one turn travel together and in order. */
export function createRedisLink(world: World, gateway: Gateway): Client {
  const { time, dice, weather, redis } = world
  let open: Batch | null = null
  let arrivedAtMs = 0

  function dispatch(batch: Batch): void {
    if (!gateway.owner.alive) return
    const sentAtMs = time.nowMs
    const { owner } = redis
    let over = false
    let deaf = () => {}
    function end(settle: () => void): void {
      if (over) return
      over = true
      timer.cancel()
      deaf()
      settle()
    }
    const fail = (kind: 'unreachable' | 'timeout') =>
      end(() => {
        world.noteFault('cache', gateway, sentAtMs)
        for (const { reject } of batch.calls) reject(new StoreFault('cache', kind))
      })
    const timer = time.after(batch.timeMs, gateway.owner, () => fail('timeout'))
    if (weather.refuses('cache', gateway)) {
      time.after(dice.next() * 2, gateway.owner, () => fail('unreachable'))
      return
    }
    world.maybeKill(gateway)
    const lost = weather.loses('cache', gateway)
    deaf = weather.onCrash(owner, () => time.after(world.hopMs(), gateway.owner, () => fail('unreachable')))
    if (lost === 'request') {
      time.after(world.hopMs(), gateway.owner, () => fail('unreachable'))
      return
    }
    arrivedAtMs = Math.max(arrivedAtMs, time.nowMs + world.hopMs())
    time.after(arrivedAtMs - time.nowMs, owner, () => {
      const replies = batch.calls.map(({ command, args }) => redis.execute(command, args))
      world.trace(() => `redis for ${gateway.place}: ${batchText(batch, replies)}`)
      world.maybeKill(gateway)
      time.after(world.hopMs(), gateway.owner, () => {
        if (lost === 'reply' || owner !== redis.owner) return fail('unreachable')
        end(() => {
          for (const [at, reply] of replies.entries()) settle(batch.calls[at]!, reply)
        })
      })
    })
  }

  function settle({ resolve, reject }: Call, reply: ReturnType<typeof redis.execute>): void {
    if ('reply' in reply) {
      resolve(reply.reply)
      return
    }
    const error = faultFromError(Object.assign(new Error(reply.error), { name: 'ReplyError' }))
    if (error instanceof StoreFault) world.noteFault('cache', gateway, time.nowMs)
    reject(error)
  }

  return {
    send(command, args, timeMs) {
      return new Promise((resolve, reject) => {
        const call = { command, args, resolve, reject }
        if (open?.turn === time.turn && open.timeMs === timeMs) {
          open.calls.push(call)
          return
        }
        const batch = { turn: time.turn, timeMs, calls: [call] }
        open = batch
        dispatch(batch)
      })
    },
    close: () => {},
  }
}

function batchText({ calls }: Batch, replies: readonly unknown[]): string {
  const text = (value: unknown) => JSON.stringify(value, (_, each) => (each?.type === 'Buffer' ? '...' : each))
  return calls.length > 8
    ? `${calls.length} calls`
    : calls.map(({ args }, at) => `${args.slice(1, 5)} ${text(replies[at])}`).join('; ')
}
