import { execFileSync } from 'node:child_process'
import os from 'node:os'
import type { About } from './result.js'

export function aboutRun(seed: number): About {
  const cores = os.cpus()
  return {
    seed,
    commit: commit(),
    node: process.versions.node,
    processor: cores[0]?.model.trim() ?? 'unknown processor',
    cores: cores.length,
  }
}

export function aboutText({ seed, commit, node, processor, cores }: About): string {
  return `seed ${seed}, commit ${commit}, node ${node}, ${cores} x ${processor}`
}

function commit(): string {
  try {
    const git = (...words: string[]) =>
      execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    const changed = git('status', '--porcelain').trim() === '' ? '' : '+changes'
    return `${git('rev-parse', '--short', 'HEAD').trim()}${changed}`
  } catch {
    return 'unknown'
  }
}
