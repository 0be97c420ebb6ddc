import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'

/** A server that lives at most as long as the test process, however that ends. */
export interface ChildServer {
  /** The server's own pid. */
  readonly pid: number
  /** Sends a signal to the server itself, such as SIGSTOP; nothing where it has ended. */
  signal(name: NodeJS.Signals): void
  /** Sends a signal that ends it; resolves when it has ended. */
  end(name: NodeJS.Signals): Promise<void>
}

export interface ChildCommand {
  readonly command: string
  readonly args: readonly string[]
  /** Removed when this process dies before the server. */
  readonly folder: string
  /** Whose process it is; absent: ours. */
  readonly uid?: number
  readonly gid?: number
  /** What it writes, for the error when it does not start. */
  readonly onOutput?: (text: string) => void
}

/**
 * A shell between us and the server. Its guard reads a pipe whose other end only we hold: it closes when we die, and the
 * guard then stops the server by its pid and removes the folder. Postgres gets SIGQUIT first, which takes its backends along.
 */
const watchdog = `
folder=$1; shift
"$@" </dev/null 3<&- & pid=$!
echo "pid $pid"
(
  while read -r line <&3; do :; done
  trap '' TERM
  kill -CONT $pid; kill -QUIT $pid; sleep 1; kill -KILL $pid; rm -rf "$folder"
) >/dev/null 2>&1 & guard=$!
wait $pid; code=$?
kill $guard 2>/dev/null
exit $code
`

/** Starts a server under the watchdog; resolves when its process runs, not yet when it answers. */
export async function spawnServer(command: ChildCommand): Promise<ChildServer> {
  const { uid, gid, folder, onOutput } = command
  const child = spawn('/bin/sh', ['-c', watchdog, 'watchdog', folder, command.command, ...command.args], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    // Ctrl-C is for us; the guard follows.
    detached: true,
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  })
  child.stderr!.on('data', (text) => onOutput?.(String(text)))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const pid = await readPid(child, onOutput)
  // The servers of a test must not keep its process alive.
  child.unref()
  for (const stream of child.stdio) (stream as { unref?(): void } | null)?.unref?.()
  function signal(name: NodeJS.Signals): void {
    if (child.exitCode === null && child.signalCode === null) process.kill(pid, name)
  }
  return {
    pid,
    signal,
    end(name) {
      child.ref()
      signal(name)
      return ended
    },
  }
}

function readPid(child: ChildProcess, onOutput: ChildCommand['onOutput']): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error('the server ended at once')))
    child.stdout!.on('data', (text) => {
      const pid = /^pid (\d+)$/m.exec(String(text))?.[1]
      if (pid) resolve(Number(pid))
      onOutput?.(String(text))
    })
  })
}

/** A TCP port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/** Tries until `attempt` resolves, at most `timeoutMs`; then rejects with what went wrong last and what the server said. */
export async function waitUntil(attempt: () => Promise<unknown>, timeoutMs: number, said: () => string): Promise<void> {
  const until = performance.now() + timeoutMs
  for (;;) {
    try {
      await attempt()
      return
    } catch (cause) {
      if (performance.now() > until) throw new Error(`the server does not answer: ${said()}`, { cause })
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
  }
}
