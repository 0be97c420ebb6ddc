import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { installPackages } from './servers/find-binary.js'

/** Debian's own interpreter: it finds the packages that apt installs. */
const python = '/usr/bin/python3'
const script = join(import.meta.dirname, '..', '..', '..', 'test', 'support', 'python-validator.py')

/** A JSON text, and the JSON pointer of the schema in the bundle that judges it. */
export interface Judged {
  readonly pointer: string
  readonly text: string
}

/**
 * True for each text that fits, by python-jsonschema with default settings, which is installed with apt where it is missing and we are
 * root.
 */
export async function fitsInPython(bundle: object, judged: readonly Judged[]): Promise<boolean[]> {
  if (!hasJsonschema()) {
    await installPackages('python3 python3-jsonschema').catch((cause) => {
      throw new Error('python-jsonschema is missing: install python3-jsonschema (tried apt-get, which failed)', {
        cause,
      })
    })
  }
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(`${JSON.stringify(bundle)}\n${judged.map(({ pointer, text }) => `${pointer} ${text}\n`).join('')}`)
  const lines = (await text(child.stdout)).trim().split('\n')
  if (lines.length !== judged.length) throw new Error(`python-jsonschema judged ${lines.length} of ${judged.length}`)
  return lines.map((line) => line === '1')
}

function hasJsonschema(): boolean {
  return spawnSync(python, ['-c', 'import jsonschema']).status === 0
}
