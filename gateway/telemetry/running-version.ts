import { Gauge } from 'prom-client'
import { runningBuild } from '../config/build.js'
import type { Metrics } from './metrics.js'

export function publishRunningVersion({ registry }: Pick<Metrics, 'registry'>): void {
  new Gauge({
    name: 'loyalty_build_info',
    help: '1; the labels say which version of the service runs on which version of Node.js.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version: runningBuild().version, node: process.versions.node }, 1)
}
