import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Gauge } from 'prom-client'
import type { Metrics } from './metrics.js'

/** Of this service, as its package says. */
export function runningVersion(): string {
  const file = join(import.meta.dirname, '..', '..', '..', 'package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

/** Publishes what runs: the version of this service and of Node.js. */
export function publishRunningVersion({ registry }: Pick<Metrics, 'registry'>): void {
  new Gauge({
    name: 'loyalty_build_info',
    help: '1; the labels say which version of the service runs on which version of Node.js.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version: runningVersion(), node: process.versions.node }, 1)
}
