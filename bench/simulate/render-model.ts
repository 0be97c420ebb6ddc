import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Chart } from '../report/charts.js'
import { escaped, fillPage, plottingParts } from '../report/render-report.js'
import type { Model } from './costs.js'
import { simulateLoad } from './simulate-load.js'
import { type Cell, capacityOf } from './size-deployment.js'

const page = readFileSync(join(import.meta.dirname, 'page.html'), 'utf8')
const shares = [0.05, 0.1, 0.2, 0.4, 0.6, 0.7, 0.8, 0.85, 0.9, 0.94, 0.97, 0.99] as const
const requests = 12_000
const cells: Readonly<Record<string, Cell>> = {
  '1 process, 1 Redis, Postgres of 4 cores': { processes: 1, pricingThreads: 1, redisMasters: 1, postgresCores: 4 },
  '4 processes, 1 Redis, 8 cores': { processes: 4, pricingThreads: 1, redisMasters: 1, postgresCores: 8 },
  '16 processes, 3 Redis, 16 cores': { processes: 16, pricingThreads: 1, redisMasters: 3, postgresCores: 16 },
  '64 processes, 6 Redis, 32 cores': { processes: 64, pricingThreads: 1, redisMasters: 6, postgresCores: 32 },
}

/** The model as one HTML page that needs nothing beside it. */
export function renderModel(
  { limits: { measured } }: Model,
  chart: Chart,
  rows: readonly Readonly<Record<string, string>>[],
): string {
  const lineOf = (tag: string, texts: readonly string[]) =>
    `<tr>${texts.map((text) => `<${tag}>${escaped(text)}</${tag}>`).join('')}</tr>`
  const body = rows.map((row) => lineOf('td', Object.values(row))).join('\n')
  return fillPage(page, {
    ...plottingParts([chart]),
    '<!--about-->': `Simulated with costs measured ${escaped(measured.at)} on ${measured.cores} x ${escaped(measured.processor)}, commit ${escaped(measured.commit)}; what the model leaves out stands in docs/scale.md.`,
    '<!--rows-->': `<thead>${lineOf('th', Object.keys(rows[0]!))}</thead><tbody>${body}</tbody>`,
  })
}

/** What cells of a size serve: p99 turns up where the fullest part is nearly always at work. */
export function drawModel(model: Model, seed: number): Chart {
  const series = Object.entries(cells).map(([label, cell]) => {
    const points = shares.map((share) => {
      const rate = capacityOf(model, cell) * share
      return [rate, simulateLoad({ model, cell, rate, requests, seed }).p99] as const
    })
    return { label, points }
  })
  const [title, about] = ['What a cell of a size serves', 'p99 of simulated answers by requests a second.']
  return {
    title,
    about,
    xLabel: 'requests a second',
    yLabel: 'p99 ms',
    xLog: true,
    yLog: true,
    xTicks: 'plain',
    series,
  }
}
