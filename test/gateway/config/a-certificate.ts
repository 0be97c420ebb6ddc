import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { type Certificate, openCertificate } from '../../../gateway/config/certificate.js'
import { createLog } from '../../../gateway/telemetry/log.js'

/** Files of a self-signed certificate for localhost, removed when the test ends. */
export async function certificateFiles(t: Test, name = 'localhost') {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'loyalty-tls-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const certFile = path.join(folder, 'cert.pem')
  const keyFile = path.join(folder, 'key.pem')
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'],
    ...['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    ...['-keyout', keyFile, '-out', certFile],
  ])
  return { certFile, keyFile, cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') }
}

/** A certificate for listeners, read from its own files. */
export async function aCertificate(t: Test, clientCaFile: string | null = null): Promise<Certificate> {
  const { certFile, keyFile } = await certificateFiles(t)
  const certificate = await openCertificate({ tls: { certFile, keyFile, clientCaFile } }, createLog('silent'))
  t.teardown(() => certificate!.close())
  return certificate!
}
