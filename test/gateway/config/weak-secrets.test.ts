import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import t from 'tap'
import { readConfig } from '../../../gateway/config/read-config.js'
import { newSecret } from '../../../gateway/config/secrets.js'

/** As short as production allows. */
const long = 's'.repeat(24)
const production = { LOYALTY_ENVIRONMENT: 'production', LOYALTY_SECRETS: long, LOYALTY_TOKENS: `admin:${long}` }

function faultsOf(env: Record<string, string>): readonly string[] {
  const read = readConfig(env, 4)
  return read.kind === 'faults' ? read.faults : []
}

t.test(
  'on production a secret or token below 24 characters is a fault that names its place and not itself',
  async (t) => {
    const short = 'x'.repeat(23)
    const folder = await mkdtemp(path.join(os.tmpdir(), 'loyalty-config-'))
    t.teardown(() => rm(folder, { recursive: true }))
    const secretsFile = path.join(folder, 'secrets')
    await writeFile(secretsFile, `${newSecret()}\n${short}\n`)
    const provider = {
      LOYALTY_OIDC_ISSUER: 'https://id.example',
      LOYALTY_OIDC_CLIENT_ID: 'console',
      LOYALTY_OIDC_BASE_URL: 'https://loyalty.example',
      LOYALTY_OIDC_ROLES: 'admin:staff',
    }
    const rows: [Record<string, string>, RegExp][] = [
      [{ LOYALTY_SECRETS: short }, /^LOYALTY_SECRETS: expected at least 24 characters on production, received fewer$/],
      [{ LOYALTY_SECRETS: `${long},${short}` }, /^LOYALTY_SECRETS: .* received fewer, in number 2 of 2$/],
      // A character of two UTF-16 units is one character.
      [{ LOYALTY_SECRETS: '🎁'.repeat(23) }, /^LOYALTY_SECRETS: /],
      [{ LOYALTY_TOKENS: `admin:${long},reader:${short}` }, /^LOYALTY_TOKENS: .* received fewer, in number 2 of 2$/],
      [
        { LOYALTY_SECRETS_FILE: secretsFile },
        /^LOYALTY_SECRETS_FILE: .*each 24 to 256 .*received too_short \(line 2\)$/,
      ],
      [{ ...provider, LOYALTY_OIDC_CLIENT_SECRET: short }, /^LOYALTY_OIDC_CLIENT_SECRET: .* received fewer$/],
    ]
    for (const [more, expected] of rows) {
      const faults = faultsOf({ ...production, ...more })
      t.equal(faults.length, 1)
      t.match(faults[0], expected)
      t.notMatch(faults[0], short)
      t.same(faultsOf({ ...more, LOYALTY_ENVIRONMENT: 'staging' }), [], 'staging takes it')
    }
    t.same(faultsOf({ ...production, ...provider, LOYALTY_OIDC_CLIENT_SECRET: long }), [])
  },
)
