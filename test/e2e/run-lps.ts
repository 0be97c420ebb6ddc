import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

export const lpsMain = join(import.meta.dirname, '..', '..', 'clients', 'lps', 'main.js')
/** The programme of the tests of `lps`. */
export const programmeFile = join(import.meta.dirname, '..', '..', '..', 'test', 'e2e', 'programme.json')

export interface Said {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** A folder in which `lps` runs, removed at the end of the test. */
export function lpsFolder(t: Pick<Test, 'teardown'>) {
  const folder = mkdtempSync(join(tmpdir(), 'lps-folder-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  return {
    folder,
    /** Runs `lps` with these words. */
    run(...words: readonly string[]): Promise<Said> {
      return new Promise((resolve) => {
        execFile(process.execPath, [lpsMain, ...words], { cwd: folder }, (error, out, err) => {
          resolve({ code: error === null ? 0 : Number(error.code), out, err })
        })
      })
    },
    /** Writes a file, and returns its name. */
    write(name: string, content: string | Buffer | object): string {
      const isText = typeof content === 'string' || Buffer.isBuffer(content)
      writeFileSync(join(folder, name), isText ? content : JSON.stringify(content))
      return name
    },
  }
}
