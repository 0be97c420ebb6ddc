import { engineCases } from './cases.js'
import type { EngineCase, EngineSettings, Row } from './engine-case.js'

/** The cases that a pattern picks: part of a name, with `*` for anything, so that `engine` is all of them. */
export function casesFor(pattern: string): readonly EngineCase[] {
  const wanted = new RegExp(pattern.split('*').map(escaped).join('.*'))
  return engineCases.filter(({ name }) => wanted.test(name))
}

/**
 * Runs the cases a pattern picks and prints a line for each row as it comes.
 *
 * @param about  what a figure is worth nothing without: seed, commit, node, processor
 * @returns      whether every target was met; a row without a target meets it
 */
export async function runEngineCases(pattern: string, settings: EngineSettings, about: string): Promise<boolean> {
  let met = true
  for (const one of casesFor(pattern)) {
    for await (const row of one.run(settings)) {
      met &&= row.target?.met ?? true
      console.log(rowText(row, about))
    }
  }
  return met
}

/** One line: name, spread, target, what else is to be said, and what the run was. */
export function rowText({ name, spread, unit, note, target }: Row, about: string): string {
  const figures = (['median', 'p95', 'p99', 'max'] as const).map((key) => `${key} ${figure(spread[key])} ${unit}`)
  const cpu = spread.cpu === null ? '' : `  cpu ${figure(spread.cpu)} ${unit}`
  const verdict = target === null ? 'no target' : `${target.met ? 'met   ' : 'MISSED'} ${target.text}`
  return `${name.padEnd(42)} ${figures.join('  ')}${cpu}  n ${spread.count}  | ${verdict} | ${note} | ${about}`
}

function figure(value: number): string {
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0).padStart(7)
}

function escaped(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
}
