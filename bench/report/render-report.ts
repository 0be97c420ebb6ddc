import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { About, Figure, Result, Run } from '../run/result.js'
import { chartsOf } from './charts.js'
import { figureText, number } from './result-text.js'

const page = readFileSync(join(import.meta.dirname, 'page.html'), 'utf8')
const plots = dirname(createRequire(import.meta.url).resolve('uplot/package.json'))

const emptyCharts = '<script type="application/json" id="drawn"></script>'

/** A run as one HTML page that needs nothing beside it: styles, plotting library and figures are in it. */
export function renderReport({ about, results }: Run): string {
  const parts: Readonly<Record<string, string>> = {
    '<style id="plots"></style>': `<style>${plotFile('uPlot.min.css')}</style>`,
    '<script id="plots-code"></script>': `<script>${plotFile('uPlot.iife.min.js')}</script>`,
    '<!--about-->': aboutHtml(about),
    '<!--verdict-->': verdictHtml(results),
    '<!--targets-->': results.flatMap(targetRows).join('\n'),
    '<!--ratios-->': ratioBars(results).join('\n'),
    [emptyCharts]: emptyCharts.replace('><', () => `>${chartsJson(results)}<`),
    '<!--results-->': results.map(resultRow).join('\n'),
  }
  // A function: what is put in may hold `$&`.
  return Object.entries(parts).reduce((html, [place, part]) => put(html, place, part), page)
}

function put(html: string, place: string, part: string): string {
  if (!html.includes(place)) throw new Error(`the report's page has no ${place}`)
  return html.replace(place, () => part)
}

function plotFile(name: string): string {
  return readFileSync(join(plots, 'dist', name), 'utf8')
}

/** Nothing in it ends the element that it stands in. */
function chartsJson(results: readonly Result[]): string {
  return JSON.stringify(chartsOf(results)).replaceAll('<', '\\u003c')
}

function aboutHtml({ startedAt, commit, seed, node, cores, processor, memoryGb, system }: About): string {
  const facts = [
    ['started', startedAt],
    ['commit', commit],
    ['seed', String(seed)],
    ['Node.js', node],
    ['machine', `${cores} x ${processor}, ${memoryGb} GB, ${system}; load, service and stores on the same one`],
  ]
  return facts.map(([name, value]) => `${name} <b>${escaped(value!)}</b>`).join(' &middot; ')
}

function verdictHtml(results: readonly Result[]): string {
  const targets = results.flatMap((result) => result.targets)
  const met = targets.filter((one) => one.met).length
  const word = met === targets.length ? 'met' : 'missed'
  return `<span class="${word}">${met} of ${targets.length} targets met.</span>`
}

function targetRows({ name, targets }: Result): string[] {
  return targets.map(
    ({ text, met }) =>
      `<tr><td><code>${escaped(name)}</code></td><td class="text">${escaped(text)}</td><td class="text ${met ? 'met' : 'missed'}">${met ? 'met' : 'missed'}</td></tr>`,
  )
}

/** Figures that are a comparison: so many times a floor or a peer, a share of a knee. The bars are logarithmic. */
function ratioBars(results: readonly Result[]): string[] {
  const ratios = results.flatMap(({ name, figures }) =>
    figures
      .filter(isComparison)
      .map((one) => ({ text: `${name}: ${one.name}`, times: one.unit === '%' ? one.value / 100 : one.value }))
      .filter(({ times }) => Number.isFinite(times) && times > 0),
  )
  if (ratios.length === 0) return ['<p class="about">Nothing was compared in this run.</p>']
  const longest = Math.max(...ratios.map(({ times }) => Math.log10(1 + times)))
  return ratios.map(({ text, times }) => {
    const width = (100 * Math.log10(1 + times)) / longest
    return `<div class="bar"><span>${escaped(text)}</span><span><i style="width:${width.toFixed(1)}%"></i></span><b>${number(times)}x</b></div>`
  })
}

function isComparison({ name, unit }: Figure): boolean {
  return (unit === 'x' && /against|faster|of the service/.test(name)) || name === 'of floor/least'
}

function resultRow({ name, unit, spread, figures, note }: Result): string {
  const { p50, p95, p99, p999, max, count } = spread
  const cells = [p50, p95, p99, p999, max].map((value) => `<td>${value === null ? '' : number(value)}</td>`).join('')
  const said = [...figures.map(figureText), note].filter((part) => part !== '').join('; ')
  return `<tr><td><code>${escaped(name)}</code></td>${cells}<td>${count}</td><td class="text">${unit}</td><td class="text">${escaped(said)}</td></tr>`
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
