import { execFile } from 'node:child_process'
import { chmod, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { findBinary } from './find-binary.js'

const run = promisify(execFile)

/** A clock that a test sets while the server runs. */
export interface SteppedClock {
  /** Environment with which the server starts. */
  readonly env: Readonly<Record<string, string>>
  /** Makes a new database use the clock. */
  adopt(url: string): Promise<void>
  /** @param ms  offset of the server's clock from ours from now on */
  set(ms: number): Promise<void>
}

/**
 * By libfaketime, which reads its file at every call; monotonic clocks and timers stay true. Where it is missing, by a function that
 * shadows the built-in `clock_timestamp()` in new databases.
 *
 * @param folder readable by the server's user
 */
export async function createSteppedClock(folder: string, of: 'server' | 'functions'): Promise<SteppedClock> {
  const library = of === 'server' ? await findLibrary() : null
  return library === null ? functionClock() : libraryClock(library, join(folder, 'clock'))
}

async function libraryClock(library: string, file: string): Promise<SteppedClock> {
  const set = async (ms: number) => {
    // Renamed into place, so that readers never see half of it.
    await writeFile(`${file}.next`, `${ms < 0 ? '-' : '+'}${Math.abs(ms) / 1_000}\n`)
    await chmod(`${file}.next`, 0o644)
    await rename(`${file}.next`, file)
  }
  await set(0)
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DISABLE_SHM: '1',
    DONT_FAKE_MONOTONIC: '1',
  }
  return { env, set, adopt: async () => {} }
}

/** A clock of the databases' functions alone, which is all that the ledger reads. */
function functionClock(): SteppedClock {
  const urls: string[] = []
  const replace = (url: string, ms: number) =>
    inDatabase(
      url,
      `create or replace function public.clock_timestamp() returns timestamptz language sql volatile
       as $$ select pg_catalog.clock_timestamp() + interval '${ms} milliseconds' $$`,
    )
  return {
    env: {},
    async adopt(url) {
      await replace(url, 0)
      await inDatabase(url, `alter database ${new URL(url).pathname.slice(1)} set search_path = public, pg_catalog`)
      urls.push(url)
    },
    async set(ms) {
      for (const url of urls) await replace(url, ms)
    },
  }
}

async function inDatabase(url: string, statement: string): Promise<void> {
  const client = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await client.unsafe(statement)
  } finally {
    await client.end()
  }
}

/** null: missing and not installable, or without effect here. */
async function findLibrary(): Promise<string | null> {
  await findBinary('faketime', 'faketime').catch(() => null)
  const folders = await readdir('/usr/lib').catch(() => [])
  for (const folder of ['', ...folders]) {
    const library = join('/usr/lib', folder, 'faketime/libfaketime.so.1')
    const env = { PATH: process.env['PATH'] ?? '', LD_PRELOAD: library, FAKETIME: '+1000' }
    const seconds = await run('date', ['+%s'], { env }).then(
      ({ stdout }) => Number(stdout),
      () => 0,
    )
    if (seconds > Date.now() / 1_000 + 900) return library
  }
  return null
}
