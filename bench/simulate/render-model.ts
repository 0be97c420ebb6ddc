import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Chart } from '../report/charts.js'
import { escaped, fillPage, plottingParts } from '../report/render-report.js'
import type { Model } from './costs.js'

const page = readFileSync(join(import.meta.dirname, 'page.html'), 'utf8')

/** The model as one HTML page that needs nothing beside it. */
export function renderModel(
  { limits: { measured } }: Model,
  charts: readonly Chart[],
  rows: readonly Readonly<Record<string, string>>[],
): string {
  const head = Object.keys(rows[0]!).map((name) => `<th>${escaped(name)}</th>`)
  const body = rows.map(
    (row) =>
      `<tr>${Object.values(row)
        .map((value) => `<td>${escaped(value)}</td>`)
        .join('')}</tr>`,
  )
  return fillPage(page, {
    ...plottingParts(charts),
    '<!--about-->': `Simulated with costs measured ${escaped(measured.at)} on ${measured.cores} x ${escaped(measured.processor)}, commit ${escaped(measured.commit)}; what the model leaves out stands in docs/scale.md.`,
    '<!--rows-->': `<thead><tr>${head.join('')}</tr></thead><tbody>${body.join('\n')}</tbody>`,
  })
}
