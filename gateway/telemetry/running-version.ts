import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Gauge } from 'prom-client'
import type { Metrics } from './metrics.js'

/** Publishes what runs: this service's version, as its package says, and that of Node.js. */
export function publishRunningVersion({ registry }: Pick<Metrics, 'registry'>): void {
  const file = join(import.meta.dirname, '..', '..', '..', 'package.json')
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }
  new Gauge({
    name: 'loyalty_build_info',
    help: '1; the labels say which version of the service runs on which version of Node.js.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.versions.node }, 1)
}
