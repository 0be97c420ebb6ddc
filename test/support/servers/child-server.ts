import { type ChildProcess, spawn } from 'node:child_process'
import { freePort } from '../free-port.js'

/** A server that lives at most as long as the test process, however that ends. */
export interface ChildServer {
  /** The server's own pid. */
  readonly pid: number
  readonly hasEnded: boolean
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
  /** Owner of the process; absent: our own user. */
  readonly uid?: number
  readonly gid?: number
  /** Added to our own environment. */
  readonly env?: Readonly<Record<string, string>>
  /** Receives its output, for the error when it does not start. */
  readonly onOutput?: (text: string) => void
}

/**
 * A shell between us and the server. Its guard reads a pipe that closes when this process dies. The guard then stops the server by its
 * pid and removes the folder. Postgres gets SIGQUIT first, which also ends its backends.
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

/** Starts a server under the watchdog; resolves when its process runs, before it answers. */
export async function spawnServer(command: ChildCommand): Promise<ChildServer> {
  const { uid, gid, folder, env, onOutput } = command
  const child = spawn('/bin/sh', ['-c', watchdog, 'watchdog', folder, command.command, ...command.args], {
    cwd: '/',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    // Ctrl-C is for this process; the guard follows.
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
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  function signal(name: NodeJS.Signals): void {
    if (hasEnded()) return
    try {
      process.kill(pid, name)
    } catch (error) {
      // Already dead, and the shell that has noticed is ending too.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  return {
    pid,
    get hasEnded() {
      return hasEnded()
    },
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

/** Starts a server on a free port; on another one where it ends at once, as when the port was taken meanwhile. */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await freePort())
    } catch (error) {
      if (attempt === startAttemptsMax) throw error
    }
  }
}

const startAttemptsMax = 4

/** Time for a new server to answer, in milliseconds; generous, for a busy machine. */
const startMs = 120_000

/** Repeats until `attempt` resolves, as long as the server lives; then rejects with the last error and the server's output. */
export async function untilAnswering(
  server: ChildServer,
  attempt: () => Promise<unknown>,
  said: () => string,
): Promise<void> {
  const until = performance.now() + startMs
  for (;;) {
    try {
      await attempt()
      return
    } catch (cause) {
      if (server.hasEnded) throw new Error(`the server ended: ${said()}`, { cause })
      if (performance.now() > until) throw new Error(`the server does not answer: ${said()}`, { cause })
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
  }
}
