import { createHash } from 'node:crypto'
import { realpath, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeFolder } from './make-folder.js'

/**
 * Claims a folder for this process, however it dies: two processes that write to one data folder would ruin it. Makes the
 * folder where it is missing. Rejects with a clear line where another process has it.
 *
 * @returns what gives it back
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  await makeFolder(folder)
  const path = lockPath(await realpath(folder))
  if (await answers(path)) throw new Error(`the data folder ${folder} is in use by another process`)
  // What a killed process left behind; on Windows nothing is left.
  await rm(path, { force: true }).catch(() => {})
  const server = await listen(path)
  return () => new Promise((resolve) => server.close(() => resolve()))
}

/** A socket that lives as long as its process; beside the folder its path could be too long. */
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
