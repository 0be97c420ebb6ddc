import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { About, Figure, Result, Run } from '../run/result.js'
import { type Chart, chartsOf } from './charts.js'
import { figureText, number, percentileTexts } from './result-text.js'
import { type Score, scorecard } from './scorecard.js'

const page = readFileSync(join(import.meta.dirname, 'page.html'), 'utf8')
/** The script that draws the JSON in the element `drawn`. */
const drawing = readFileSync(join(import.meta.dirname, 'draw.html'), 'utf8')
/** Shared with the simulation's page. */
const styles = readFileSync(join(import.meta.dirname, 'page.css'), 'utf8')
const plots = dirname(createRequire(import.meta.url).resolve('uplot/package.json'))

const emptyCharts = '<script type="application/json" id="drawn"></script>'

export function plottingParts(charts: readonly Chart[]): Readonly<Record<string, string>> {
  return {
    '<style id="styles"></style>': `<style>${plotFile('uPlot.min.css')}\n${styles}</style>`,
    '<script id="plots-code"></script>': `<script>${plotFile('uPlot.iife.min.js')}</script>`,
    [emptyCharts]: emptyCharts.replace('><', () => `>${chartsJson(charts)}<`),
    '<script id="draw"></script>': drawing,
  }
}

/** A run as one self-contained HTML page. */
export function renderReport({ about, results }: Run): string {
  const parts: Readonly<Record<string, string>> = {
    ...plottingParts(chartsOf(results)),
    '<!--about-->': aboutHtml(about),
    '<!--verdict-->': verdictHtml(results),
    '<!--scorecard-->': scorecard(results).map(scoreRow).join('\n'),
    '<!--targets-->': results.flatMap(targetRows).join('\n'),
    '<!--ratios-->': ratioBars(results).join('\n'),
    '<!--results-->': results.map(resultRow).join('\n'),
  }
  return fillPage(page, parts)
}

/** @throws Error where the page lacks a placeholder */
export function fillPage(page: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((html, [place, part]) => put(html, place, part), page)
}

function put(html: string, place: string, part: string): string {
  if (!html.includes(place)) throw new Error(`the report's page has no ${place}`)
  // A function, because `part` may contain `$&`.
  return html.replace(place, () => part)
}

function plotFile(name: string): string {
  return readFileSync(join(plots, 'dist', name), 'utf8')
}

/** Escaped, so that it cannot end its script element. */
function chartsJson(charts: readonly Chart[]): string {
  return JSON.stringify(charts).replaceAll('<', '\\u003c')
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

function scoreRow({ name, asked, measured, verdict, why }: Score): string {
  const looks = verdict === 'not judged' ? '' : verdict
  const cells = [asked, measured].map((text) => `<td class="text">${escaped(text)}</td>`).join('')
  return `<tr><td>${escaped(name)}</td>${cells}<td class="text ${looks}">${verdict}</td><td class="text">${escaped(why)}</td></tr>`
}

function targetRows({ name, targets }: Result): string[] {
  return targets.map(
    ({ text, met }) =>
      `<tr><td><code>${escaped(name)}</code></td><td class="text">${escaped(text)}</td><td class="text ${met ? 'met' : 'missed'}">${met ? 'met' : 'missed'}</td></tr>`,
  )
}

/** Figures that compare: multiples of a floor or a peer, shares of a knee. The bars are logarithmic. */
function ratioBars(results: readonly Result[]): string[] {
  const ratios = results.flatMap(({ name, figures }) =>
    figures
      .filter(isComparison)
      .map((one) => ({
        text: `${name}: ${one.name}`,
        times: one.unit === '%' ? one.value / 100 : one.value,
        looks: / against /.test(one.name) ? 'less' : 'more',
      }))
      .filter(({ times }) => Number.isFinite(times) && times > 0),
  )
  if (ratios.length === 0) return ['<p class="about">Nothing was compared in this run.</p>']
  const longest = Math.max(...ratios.map(({ times }) => Math.log10(1 + times)))
  return ratios.map(({ text, times, looks }) => {
    const width = (100 * Math.log10(1 + times)) / longest
    return `<div class="bar"><span>${escaped(text)}</span><span><i class="${looks}" style="width:${width.toFixed(1)}%"></i></span><b>${number(times)}x</b></div>`
  })
}

function isComparison({ name, unit }: Figure): boolean {
  return (unit === 'x' && /against|faster|of the service/.test(name)) || name === 'of floor/least'
}

function resultRow({ name, unit, spread, figures, note }: Result): string {
  const cells = percentileTexts(spread)
    .map((text) => `<td>${text}</td>`)
    .join('')
  const notes = [...figures.map(figureText), note].filter((part) => part !== '').join('; ')
  return `<tr><td><code>${escaped(name)}</code></td>${cells}<td>${spread.count}</td><td class="text">${unit}</td><td class="text">${escaped(notes)}</td></tr>`
}

export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
