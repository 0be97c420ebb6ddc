import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import type { Json } from '../../../clients/check-pos/cases.js'
import {
  compileDotnet,
  compileGo,
  compileJava,
  dotnetOfClients,
  goOfClients,
  javaOfClients,
  missing,
  phpOfClients,
  pythonOfClients,
} from './runtimes.js'

const root = join(import.meta.dirname, '..', '..', '..', '..')
const sources = join(root, 'test', 'clients', 'cases')

/** A client in one of the languages. */
export interface Client {
  readonly name: string
  /** Why it cannot run here; false: it can. */
  readonly skip: string | false
  /** Builds it if necessary, and returns the command of the program that drives the client. */
  command(t: Test): readonly string[]
}

export async function clients(): Promise<readonly Client[]> {
  return [
    { name: 'pos-js', skip: false, command: () => [process.execPath, join(import.meta.dirname, 'drive-js.js')] },
    {
      name: 'pos-python',
      skip: await missing(pythonOfClients),
      command: () => ['python3', join(sources, 'drive.py')],
    },
    {
      name: 'pos-php',
      skip: await missing(phpOfClients),
      // A setting of many servers, which would write too many decimals.
      command: () => ['php', '-d', 'serialize_precision=17', join(sources, 'drive.php')],
    },
    {
      name: 'pos-go',
      skip: await missing(goOfClients),
      command: (t) => [compileGo(t, root, join(sources, 'drive.go'))],
    },
    {
      name: 'pos-java',
      skip: await missing(javaOfClients),
      command: (t) => ['java', '-cp', compileJava(t, root, join(sources, 'Drive.java')), 'Drive'],
    },
    {
      name: 'pos-dotnet',
      skip: await missing(dotnetOfClients),
      command: (t) => ['mono', compileDotnet(t, root, join(sources, 'Drive.cs'))],
    },
  ]
}

/** A running client: asks and answers are one JSON object a line. */
export interface Driver {
  ask(question: Json): Promise<Json>
  end(): void
  /** As a power loss ends it. */
  kill(): Promise<unknown>
}

export function drive([program, ...words]: readonly string[]): Driver {
  const python = { PYTHONPATH: join(root, 'clients', 'pos-python'), PYTHONDONTWRITEBYTECODE: '1' }
  const env = { ...process.env, NODE_OPTIONS: '', ...python }
  const child: ChildProcess = spawn(program!, words, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  return {
    async ask(question) {
      child.stdin!.write(`${JSON.stringify(question)}\n`)
      const { value, done } = await answers.next()
      if (done === true) throw new Error('the client ended')
      return JSON.parse(value)
    },
    end: () => child.stdin!.end(),
    kill() {
      child.kill('SIGKILL')
      return once(child, 'close')
    },
  }
}
