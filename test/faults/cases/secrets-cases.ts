import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newSecret } from '../../../gateway/config/secrets.js'
import { putContent, secretContents } from '../../gateway/config/secret-contents.js'
import type { FaultCase, Stage } from '../run-case.js'

const contentsTotal = 17
/** Time between two contents of the file: 58 a minute, or shorter in short runs, always longer than two reads of the file. */
const pauseMs = { full: 60_000 / 58, short: 700 }

/** The file of signing secrets has bad content: a valid secret is never refused. */
export const secretsCases: readonly FaultCase[] = [
  { id: 'F64', title: 'the secrets file rewritten 58 times a minute with 17 kinds of content', run: rewriteSecrets },
]

async function rewriteSecrets({ world, client, full }: Stage): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-fault-secrets-'))
  const file = join(folder, 'secrets')
  const contents = secretContents(world.doors.secret, newSecret())
  try {
    putContent(file, contents[0]!)
    for (const slot of world.gateways) {
      await slot.end('SIGTERM')
      await slot.start({ LOYALTY_SECRETS: '', LOYALTY_SECRETS_FILE: file })
    }
    for (let round = 0; round < (full ? 58 : contentsTotal); round += 1) {
      putContent(file, contents[round % contents.length]!)
      await sleep(full ? pauseMs.full : pauseMs.short)
    }
    putContent(file, contents[0]!)
  } finally {
    await sleep(pauseMs.full)
    rmSync(folder, { recursive: true, force: true })
  }
  const refused = client.history.flatMap(({ attempts }) => attempts.filter(({ answer }) => answer?.status === 401))
  return refused.length === 0 ? [] : [`no signed request is refused, but ${refused.length} got 401`]
}
