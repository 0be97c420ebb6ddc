import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { findBinary } from '../support/servers/find-binary.js'
import { as, obstacle, openNetwork, type ran, root, run } from './machine.js'

t.setTimeout(600_000)

const missing = await obstacle('postgresql redis-server openssl curl iproute2')
if (missing === null) t.test('every command of the walkthrough works, in turn', walkThrough)
else t.comment(missing)

/** The commands of the walkthrough in docs/operations.md, as one script; each block under its title. */
function commands(t: Test): string {
  const page = readFileSync(join(root, 'docs', 'operations.md'), 'utf8')
  const section = page.split('\n## A walkthrough\n')[1]!.split('\n## ')[0]!
  const blocks = [...section.matchAll(/\*\*(.+?)\*\*[^`]*(?:`[^`]+`[^`]*)*?\n```sh\n(.*?)```/gs)]
  t.equal(blocks.length, section.split('```sh\n').length - 1, 'every block has a title')
  return blocks.map(([, title, block]) => `echo '== ${title}'\n${block}`).join('\n')
}

async function walkThrough(t: Test): Promise<void> {
  const { name, inside } = await openNetwork(t)
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-walkthrough-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  t.teardown(async () => {
    const pids = (await run('ip', ['netns', 'pids', name])).split('\n').filter((pid) => pid !== '')
    for (const pid of pids) process.kill(Number(pid), 'SIGKILL')
  })
  await startDatabase(folder, inside)
  const script = join(folder, 'script.sh')
  writeFileSync(
    script,
    `set -eE\ntrap 'echo "failed: $BASH_COMMAND"; cat $L/*.log' ERR\ncd ${root}\n${commands(t)}echo '== end'\n`,
  )
  const { code, out, err } = await inside('env', `TMPDIR=${folder}`, 'bash', script)

  t.equal(code, 0, out.slice(-4_000) + err.slice(-2_000))
  const printed = Object.fromEntries(out.split(/^== /m).map((part) => [part.split('\n')[0]!, part]))
  t.match(printed['Two gateways'], /^ok {7}settings: as production needs them$/m)
  t.match(printed['The first sale'], /to be charged: 4500 of 5000$.*result recorded$/ms)
  t.equal(printed['The first secret swap']!.match(/result recorded$/gm)?.length, 2, 'old and new secret both count')
  t.match(printed['The first restore'], /^sales: .*count 1$/m)
  t.match(printed['The first restore'], /a repeat: the stored answer/, 'the restored ledger has the sale')
}

/** A Postgres on the usual port of that network; its superuser needs no password. */
async function startDatabase(folder: string, inside: (...words: readonly string[]) => ReturnType<typeof ran>) {
  const bin = join(await findBinary('initdb', 'postgresql'), '..')
  const cluster = join(folder, 'cluster')
  await run('chown', ['postgres:', folder])
  chmodSync(folder, 0o755)
  await run('setpriv', [
    ...as('postgres').slice(1),
    join(bin, 'initdb'),
    '-D',
    cluster,
    '--encoding=UTF8',
    '--locale=C',
  ])
  writeFileSync(
    join(cluster, 'pg_hba.conf'),
    'host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n',
  )
  const options = `-k ${folder} -c listen_addresses=127.0.0.1`
  const started = await inside(
    ...as('postgres'),
    ...[join(bin, 'pg_ctl'), '-D', cluster, '-w', '-l', join(folder, 'log'), '-o', options, 'start'],
  )
  if (started.code !== 0) throw new Error(started.out + started.err)
}
