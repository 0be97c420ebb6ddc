import { setFlagsFromString } from 'node:v8'
import { runInThisContext } from 'node:vm'
import { setSoundFlags } from '../../../engine/thread/v8-flags.js'

/**
 * A function that V8 11.3 miscompiles: a small whole number is read as 0 (docs/decisions.md). Called
 * with the service's flags, or with V8's own given the word `bare`. Prints how many results differed from those before optimisation.
 */
setFlagsFromString('--allow-natives-syntax')
const native = (name: string): ((each: unknown) => void) => runInThisContext(`(each) => %${name}(each)`)
const prepare = native('PrepareFunctionForOptimization')
const optimize = native('OptimizeFunctionOnNextCall')

let total = 0
function add(sum: number): void {
  total += sum
}
native('NeverOptimizeFunction')(add)

// V8 treats code after a `map` as rarely run, and registers change from block to block there: all of it is needed.
function mixed(from: number, a: number[], b: number[], c: number[]): number[] {
  let left = from
  const k0 = b.length
  const one = 1
  let k1 = 0
  let k3 = a.length
  let k4 = b.length
  const d = a.map((each) => each)
  const e = a.slice()
  if (one < k3) {
    for (let i = 0; i < d.length; i++) {
      k3 += k0
      k1 = Math.min(one)
    }
    for (let i = 0; i < b.length; i++) {
      add(k1)
      b[i] = d[i]!
      k4 += k4
      left -= one
      for (let j = 0; j < c.length; j++) if (left > 0) add(left)
    }
    // Here 414 is read as 0, without an error.
    if (left > 0) add(left)
  }
  if (k1 >= 1e6) for (let i = 0; i < d.length; i++) for (let j = 0; j < e.length; j++) if (e.length < 0) add(j)
  return [left, k3, k4]
}

const holey = (): number[] => new Array<number>(3).fill(2)
const packed = (): number[] => [1, 2, 3]
const calls = [
  () => mixed(341, holey(), holey(), holey()),
  () => mixed(57.5, holey(), packed(), packed()),
  () => mixed(417, packed(), packed(), holey()),
]

function totalOf(call: () => unknown): number {
  total = 0
  call()
  return total
}

if (process.argv[2] !== 'bare') setSoundFlags()
prepare(mixed)
const right = calls.map(totalOf)
let wrong = 0
for (let round = 0; round < 10; round++) {
  for (const [at, call] of calls.entries()) {
    optimize(mixed)
    if (totalOf(call) !== right[at]) wrong += 1
  }
}
console.log(wrong)
