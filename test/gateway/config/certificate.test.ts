import { X509Certificate } from 'node:crypto'
import { copyFile, writeFile } from 'node:fs/promises'
import tls from 'node:tls'
import t, { type Test } from 'tap'
import { type Certificate, openCertificate } from '../../../gateway/config/certificate.js'
import { createLog } from '../../../gateway/telemetry/log.js'
import { until } from '../../support/until.js'
import { aListener } from '../pos/a-listener.js'
import { certificateFiles } from './a-certificate.js'

const log = createLog('silent')
const pollMs = 10
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

async function openPair(t: Test, nowMs = Date.now) {
  const files = await certificateFiles(t, 'first')
  const { certFile, keyFile } = files
  const certificate = (await openCertificate({ tls: { certFile, keyFile, clientCaFile: null } }, log, {
    pollMs,
    nowMs,
  }))!
  t.teardown(() => certificate.close())
  return { files, certificate, next: await certificateFiles(t, 'second') }
}

/** Waits until a certificate is served. */
async function becomes(t: Test, certificate: Certificate, cert: string): Promise<void> {
  for (let round = 0; round < 1_000 && certificate.current.cert !== cert; round++) await pause(pollMs)
  t.equal(certificate.current.cert, cert)
}

t.test('without files there is no certificate', async (t) => {
  t.equal(await openCertificate({ tls: null }, log), null)
})

t.test('a replaced pair is served from then on, and connections stay', async (t) => {
  const { files, certificate, next } = await openPair(t)
  const server = await aListener(t, { certificate })
  const nameServed = () =>
    new Promise<string>((resolve, reject) => {
      const socket = tls.connect({ host: server.host, port: server.port, rejectUnauthorized: false })
      socket.on('error', reject)
      socket.on('secureConnect', () => {
        resolve(socket.getPeerCertificate().subject.CN as string)
        socket.destroy()
      })
    })
  const standing = tls.connect({ host: server.host, port: server.port, rejectUnauthorized: false })
  await new Promise<void>((resolve) => standing.once('secureConnect', () => resolve()))
  t.equal(await nameServed(), 'first')
  await copyFile(next.certFile, files.certFile)
  await copyFile(next.keyFile, files.keyFile)
  await becomes(t, certificate, next.cert)
  t.equal(await nameServed(), 'second')
  t.equal(certificate.validUntilS, Date.parse(new X509Certificate(next.cert).validTo) / 1000)
  standing.write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n')
  const [first] = await Promise.all([new Promise<Buffer>((resolve) => standing.once('data', resolve))])
  t.match(first!.toString(), /^HTTP\/1\.1 200 /)
  standing.destroy()
})

t.test('halves, rubbish and missing files keep the last good pair', async (t) => {
  const { files, certificate, next } = await openPair(t)
  const rows: [string, string][] = [
    [next.cert, files.key],
    [files.cert, next.key],
    [next.cert.slice(0, 200), next.key],
    ['', ''],
    ['rubbish', 'rubbish'],
  ]
  for (const [cert, key] of rows) {
    await writeFile(files.certFile, cert)
    await writeFile(files.keyFile, key)
    await until(
      () => certificate.state().fault,
      (fault) => fault !== null,
    )
    t.equal(certificate.current.cert, files.cert)
    await writeFile(files.certFile, files.cert)
    await writeFile(files.keyFile, files.key)
    await until(
      () => certificate.state().fault,
      (fault) => fault === null,
    )
  }
  await writeFile(files.certFile, next.cert)
  await writeFile(files.keyFile, next.key)
  await becomes(t, certificate, next.cert)
})

t.test('a chain cut at the end of a certificate, and an expired one, keep the last good pair', async (t) => {
  let agedMs = 0
  const { files, certificate, next } = await openPair(t, () => Date.now() + agedMs)
  const authority = await certificateFiles(t, 'authority')
  await writeFile(files.certFile, files.cert + authority.cert)
  await becomes(t, certificate, files.cert + authority.cert)
  const stands = (reason: string | null) =>
    until(
      () => certificate.state().fault,
      (fault) => fault === reason,
    )
  for (const [cert, key] of [
    [files.cert, files.key],
    [next.cert, next.key],
  ]) {
    await writeFile(files.certFile, cert!)
    await writeFile(files.keyFile, key!)
    t.equal(await stands('chain_cut'), 'chain_cut')
    t.equal(certificate.current.cert, files.cert + authority.cert)
  }
  agedMs = 2 * 24 * 3_600_000
  await writeFile(files.certFile, next.cert + authority.cert)
  t.equal(await stands('ended'), 'ended')
  t.equal(certificate.current.cert, files.cert + authority.cert)
  agedMs = 0
  await becomes(t, certificate, next.cert + authority.cert)
  t.equal(await stands(null), null)
})
