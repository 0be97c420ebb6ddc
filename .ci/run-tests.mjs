// Runs compiled test files, several at a time: tap's own runner costs a second and a half of processor time a file, half the time of the
// whole suite.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { root } from './root.mjs'

/** For a test and for a file: only hanging ones take as long. */
const timeoutS = 900
const linesMax = 400

/**
 * @param files    compiled, relative to the checkout; a list among them: files that share a process
 * @param jobs     processes at a time
 * @param node     the program that runs them
 * @param env      in addition to our own
 * @param onEnd    called for each as it ends
 * @returns        `{ files, ok, seconds, lines }` each: lines describe the failures
 */
export async function runTests(files, { jobs, node = process.execPath, env = {}, onEnd = () => {} }) {
  const waiting = [...files]
  const ended = []
  const next = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const result = await runFiles([file].flat(), node, env)
      ended.push(result)
      onEnd(result)
    }
  }
  await Promise.all(Array.from({ length: jobs }, next))
  return ended
}

function runFiles(files, node, env) {
  const began = performance.now()
  // Imported by one module: tap would end after the tests of the first file while the next one loads.
  const imports = files.map((file) => `import ${JSON.stringify(pathToFileURL(join(root, file)).href)}`).join('\n')
  const program = files.length === 1 ? files : ['--input-type=module', '--eval', imports]
  const child = spawn(node, ['--no-turbo-move-optimization', ...program], {
    cwd: root,
    env: { ...process.env, TAP_TIMEOUT: String(timeoutS), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutS * 1000)
  const failures = createFailures()
  createInterface({ input: child.stdout }).on('line', failures.read)
  createInterface({ input: child.stderr }).on('line', failures.keep)
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      const ok = code === 0
      const seconds = (performance.now() - began) / 1000
      if (signal !== null) failures.keep(`ended by ${signal}`)
      resolve({ files, ok, seconds, lines: ok ? [] : failures.lines })
    })
  })
}

/** From TAP output: each `not ok` with its explanation, without the surrounding source text. */
function createFailures() {
  const lines = []
  let isExplaining = false
  let skippedFrom = Number.POSITIVE_INFINITY
  const keep = (line) => {
    if (lines.length < linesMax) lines.push(line)
  }
  function read(line) {
    const text = line.trimStart()
    const indent = line.length - text.length
    if (text.startsWith('not ok')) {
      isExplaining = true
      keep(line)
    } else if (text === '...') isExplaining = false
    else if (isExplaining && text !== '---' && text !== '') {
      if (indent <= skippedFrom) skippedFrom = /^(at|source):/.test(text) ? indent : Number.POSITIVE_INFINITY
      if (skippedFrom === Number.POSITIVE_INFINITY) keep(line)
    }
  }
  return { lines, keep, read }
}
