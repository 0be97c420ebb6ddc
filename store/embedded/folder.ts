import { createHash } from 'node:crypto'
import { mkdir, realpath, rm, stat } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { platform, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * Claims a folder for this process, however it dies: two processes that write to one data folder would ruin it. Makes the
 * folder where it is missing. Rejects with a clear line where another process has it.
 *
 * @returns releases the folder
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  await makeFolder(folder)
  const path = lockPath(await realpath(folder))
  if (await answers(path)) throw new Error(`the data folder ${folder} is in use by another process`)
  await rm(path, { force: true }).catch(() => {})
  const server = await listen(path)
  return () => new Promise((resolve) => server.close(() => resolve()))
}

/** A socket that lives as long as its process; inside the folder its path could be too long. */
function lockPath(folder: string): string {
  const name = `loyalty-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`
  return platform() === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`)
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', reject)
    server.listen(path, () => resolve(server.unref()))
  })
}

/** Node's own recursive mkdir tries for ever below a folder that reports a new one as missing, such as `/proc`. */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(folder, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error
    await makeFolder(dirname(folder), mode)
    await mkdir(folder, { mode }).catch((again: NodeJS.ErrnoException) => {
      if (again.code !== 'EEXIST') throw again
    })
  }
}
