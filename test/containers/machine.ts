import { execFile, spawn } from 'node:child_process'
import { existsSync, openSync, readFileSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import { spawnServer } from '../support/servers/child-server.js'
import { installPackages } from '../support/servers/find-binary.js'
import { until } from '../support/until.js'

export const root = join(import.meta.dirname, '..', '..', '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
export const image = `localhost/loyalty-partner-service:${version}`
/** The image that deploy/Dockerfile starts from. */
export const nodeImage = 'docker.io/library/node:24.21.0-bookworm-slim'
const debianImage = 'docker.io/library/debian:bookworm-slim'
/** Images that deploy/compose.yaml names. */
export const storeImages = ['docker.io/library/postgres:17', 'docker.io/library/redis:7'] as const
const certificates = '/etc/ssl/certs/ca-certificates.crt'
const env = { ...process.env, CONTAINERS_CONF: join(root, 'test', 'containers', 'containers.conf') }
const outputMax = 256 * 1024 * 1024

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command; rejects where it fails, with what it printed. */
export async function run(command: string, args: readonly string[], cwd = root): Promise<string> {
  const { code, out, err } = await ran(command, args, cwd)
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${out.slice(-2_000)}${err.slice(-2_000)}`)
  return out
}

/** The same, whatever its exit code. */
export function ran(command: string, args: readonly string[], cwd = root): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, env, maxBuffer: outputMax }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err })
    })
  })
}

/** One line on why these rigs cannot run here; null: they can. Installs the Debian packages that they need. */
export async function obstacle(packages: string): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'not root: containers and network namespaces are not made here'
  if (!existsSync('/etc/debian_version')) return 'not Debian: the rig runs its packages'
  const { code } = await ran('dpkg-query', ['--show', ...packages.split(' ')])
  if (code !== 0) await installPackages(packages)
  return null
}

/** Packages for the rigs with containers. */
export const containerPackages = 'podman runc buildah catatonit debootstrap podman-compose iproute2'

export function podman(...args: readonly string[]): Promise<string> {
  return run('podman', args)
}

/** A network of its own, whose ports are free, for containers that share it. */
export async function openNetwork(t: Pick<Test, 'teardown'>) {
  const name = `loyalty-${process.pid}`
  await run('ip', ['netns', 'add', name])
  t.teardown(() => run('ip', ['netns', 'delete', name]))
  const inside = (...words: readonly string[]) => ran('nsenter', [`--net=/run/netns/${name}`, ...words])
  await inside('ip', 'link', 'set', 'lo', 'up')
  return { name, inside }
}

/** A machine of its own: network, processes and the folders of its servers; what runs there ends with it. */
export interface Host {
  readonly name: string
  readonly address: string
  readonly folder: string
  /** Runs a command there. */
  run(...words: readonly string[]): Promise<string>
  /** Starts a server there; its output goes to `<its name>.log` in the folder. Resolves to its exit code when it ends. */
  start(program: string, words: readonly string[], settings?: Readonly<Record<string, string>>): Promise<number | null>
  /** Sends a signal to every process there of that name. */
  signal(name: string, program: string): Promise<void>
}

const bridge = 'loyalty0'
const hostNetwork = '10.77.0'

/**
 * Hosts by their addresses on one network, on which this process is `10.77.0.1`.
 *
 * @param own  folders that each host has for itself, empty and in memory
 */
export async function openHosts(
  t: Pick<Test, 'teardown'>,
  addresses: Readonly<Record<string, string>>,
  own: readonly string[],
): Promise<readonly Host[]> {
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-hosts-'))
  await chmod(folder, 0o755)
  t.teardown(() => rm(folder, { recursive: true }))
  await ran('ip', ['link', 'delete', bridge])
  await run('ip', ['link', 'add', bridge, 'type', 'bridge'])
  t.teardown(() => run('ip', ['link', 'delete', bridge]))
  await run('ip', ['address', 'add', `${hostNetwork}.1/24`, 'dev', bridge])
  await run('ip', ['link', 'set', bridge, 'up'])
  return await Promise.all(
    Object.entries(addresses).map(async ([name, address]) => {
      await mkdir(join(folder, name), { recursive: true })
      return openHost(t, { name, address, folder: join(folder, name) }, own)
    }),
  )
}

async function openHost(
  t: Pick<Test, 'teardown'>,
  place: Pick<Host, 'name' | 'address' | 'folder'>,
  own: readonly string[],
): Promise<Host> {
  const { name, address, folder } = place
  const mounts = own.map((path) => `mount -t tmpfs -o mode=1777 none ${path}; `).join('')
  const apart = ['--net', '--pid', '--mount', '--mount-proc', '--fork', '--kill-child']
  const server = await spawnServer({
    command: 'unshare',
    // The shell reaps what is left to it as the first process.
    args: [...apart, 'sh', '-c', `${mounts}ip link set lo up; touch ${folder}/up; sleep infinity; :`],
    folder,
  })
  t.teardown(() => server.end('SIGKILL'))
  const children = () => readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim()
  const inner = await until(children, (pid) => pid !== '')
  await until(
    () => existsSync(join(folder, 'up')),
    (up) => up,
  )
  const [near, far] = [`lp-${name}`, `lq-${name}`]
  // That of a run that was killed may still be there.
  await ran('ip', ['link', 'delete', near])
  await run('ip', ['link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', inner])
  await run('ip', ['link', 'set', near, 'master', bridge, 'up'])
  const enter = ['--target', inner, '--net', '--pid', '--mount', '--']
  const inside = (...words: readonly string[]) => run('nsenter', [...enter, ...words])
  await inside('ip', 'address', 'add', `${address}/24`, 'dev', far)
  await inside('ip', 'link', 'set', far, 'up')
  return {
    ...place,
    run: inside,
    start(program, words, settings = {}) {
      const log = openSync(join(folder, `${basename(program)}.log`), 'a')
      const stdio: ['ignore', number, number] = ['ignore', log, log]
      const child = spawn('nsenter', [...enter, program, ...words], { env: { ...env, ...settings }, stdio })
      return new Promise((resolve) => child.once('exit', resolve))
    },
    signal: async (signal, program) => void (await inside('pkill', `-${signal}`, '-x', program)),
  }
}

/** The words before a command that run it as another user. */
export function as(user: string): readonly string[] {
  return ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups']
}

/** Builds the service's image, and before it those that it and compose start from. */
export async function buildImages(): Promise<void> {
  await unlessThere(debianImage, makeDebian)
  await unlessThere(nodeImage, makeNode)
  await podman('build', '--tag', storeImages[0], join(root, 'test', 'containers', 'base'))
  await podman('tag', ...storeImages)
  const commit = (await run('git', ['-c', 'safe.directory=*', 'rev-parse', 'HEAD'])).trim()
  const of = ['--format', 'docker', '--build-arg', `SOURCE_COMMIT=${commit}`]
  await podman('build', ...of, '--file', 'deploy/Dockerfile', '--tag', image, '.')
}

async function unlessThere(name: string, make: (folder: string) => Promise<void>): Promise<void> {
  if ((await ran('podman', ['image', 'exists', name])).code === 0) return
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-base-'))
  await make(folder).finally(() => rm(folder, { recursive: true }))
}

/** From Debian's archive, under the name of the official image, which cannot be pulled here. */
async function makeDebian(folder: string): Promise<void> {
  const [tree, archive] = [join(folder, 'tree'), join(folder, 'tree.tar')]
  await run('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', tree])
  for (const left of ['cache/apt', 'lib/apt/lists']) await rm(join(tree, 'var', left), { recursive: true })
  await run('tar', ['--create', '--file', archive, '--directory', tree, '.'])
  await run('podman', ['import', archive, debianImage])
}

/** Node.js and npm, with this machine's certificates and registry: they stay in the base image. */
async function makeNode(folder: string): Promise<void> {
  const local = join(folder, 'tree', 'usr', 'local')
  for (const name of ['bin', 'etc', 'lib/node_modules']) await mkdir(join(local, name), { recursive: true })
  const { nodeOf } = (await import(pathToFileURL(join(root, '.ci', 'rigs.mjs')).href)) as {
    nodeOf(version: string): string
  }
  await cp(nodeOf(/\d+\.\d+\.\d+/.exec(nodeImage)![0]), join(local, 'bin', 'node'))
  const npm = dirname(dirname(await realpath((await run('which', ['npm'])).trim())))
  await cp(npm, join(local, 'lib', 'node_modules', 'npm'), { recursive: true })
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin', 'npm'))
  const registry = (await run('npm', ['config', 'get', 'registry'])).trim()
  await writeFile(join(local, 'etc', 'npmrc'), `registry=${registry}\ncafile=${certificates}\n`)
  await mkdir(join(folder, 'tree', dirname(certificates)), { recursive: true })
  await cp(certificates, join(folder, 'tree', certificates), { dereference: true })
  await writeFile(join(folder, 'Containerfile'), `FROM ${debianImage}\nCOPY tree /\n`)
  await podman('build', '--tag', nodeImage, folder)
}
