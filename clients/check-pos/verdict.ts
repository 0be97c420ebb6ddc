import type { Checked } from '../conformance/run-checks.js'
import { type Judging, problemsOfRun, repeatedRequestIds } from './judge-run.js'
import { noteOfCut } from './judge-tries.js'
import { type Problem, type Run, requestsOf } from './run.js'
import type { Doing } from './steps.js'

export interface Verdict {
  readonly run: Run
  readonly problems: readonly Problem[]
  readonly note: string | null
}

export function verdictsOf(runs: readonly Run[], judging: Judging): readonly Verdict[] {
  const repeated = repeatedRequestIds(runs)
  return runs.map((run) => {
    const again = repeated.get(run)
    const problems = [...problemsOfRun(run, judging), ...(again === undefined ? [] : [again])]
    return { run, problems, note: noteOfCut(run) }
  })
}

export function checkedOf({ run, problems }: Verdict): Checked {
  const { name, title } = run.step
  const texts = shortenProblems(problems).map(({ rule, text }) => `${rule}: ${text}`)
  const problem = texts.length === 0 ? null : texts.join('; ')
  return { name: `${name}: ${title}`, section: 'POS', problem, durationMs: run.endedMs - run.startedMs }
}

const linesMax = 20

function shorten<Line>(lines: readonly Line[], lineOf: (text: string) => Line): readonly Line[] {
  const more = lines.length - linesMax
  return more <= 0 ? lines : [...lines.slice(0, linesMax), lineOf(`and ${more} more`)]
}

export function shortenProblems(problems: readonly Problem[]): readonly Problem[] {
  const rules = [...new Set(problems.map(({ rule }) => rule))]
  return rules.flatMap((rule) =>
    shorten(
      problems.filter((problem) => problem.rule === rule),
      (text) => ({ rule, text }),
    ),
  )
}

export const instructions: Readonly<Record<Doing, string>> = {
  pay: 'Ring up two different products with a card, and pay.',
  abandon: 'Ring up two different products with a card, and abandon the payment.',
  change: 'Ring up two different products with a card; before you pay, add one more; then pay.',
  return: 'Ring up two different products with a card, and pay; then take a piece of the first one back.',
  away: 'The service is down for a while: ring up two different products with a card now, and pay.',
}

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b; background: #fff }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-top: 1px solid #ccc }
a { color: inherit } .holds { color: #17692b } .broken { color: #a11212; font-weight: 600 } ul { margin: .2rem 0; padding-left: 1.2rem } small { color: #555 }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #161616 } .holds { color: #74d38a } .broken { color: #ff8f8f } small { color: #aaa } }
`

export function pageOf(verdicts: readonly Verdict[], at: Date): string {
  const broken = verdicts.filter(({ problems }) => problems.length > 0)
  const holding = `${verdicts.length - broken.length} of ${verdicts.length} steps hold`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>POS check: ${holding}</title><style>${style}</style></head><body>
<h1>POS check</h1>
<p>The run is over, at ${at.toISOString()}: ${holding}. Nothing more is to be rung up.</p>
${broken.length === 0 ? '' : `<p>Broken: ${broken.map(linkTo).join(', ')}</p>`}
<table><thead><tr><th>Step</th><th>Result</th><th>What came</th></tr></thead><tbody>
${verdicts.map(rowOf).join('\n')}
</tbody></table></body></html>
`
}

function linkTo({ run }: Verdict): string {
  const name = escaped(run.step.name)
  return `<a href="#${name}">${name}</a>`
}

function rowOf({ run, problems, note }: Verdict): string {
  const { name, title, doing } = run.step
  const word = problems.length === 0 ? '<span class="holds">holds</span>' : '<span class="broken">broken</span>'
  const texts = shortenProblems(problems).map(({ rule, text }) => `<li><b>${rule}</b>: ${escaped(text)}</li>`)
  const notes = note === null ? [] : [`<li>${escaped(note)}</li>`]
  const requests = requestsOf(run).map(({ kind, atMs, answered, waitedMs, value }) => {
    const seconds = ((atMs - run.startedMs) / 1000).toFixed(2)
    const words = kind === 'sale' ? [value?.['status'], value?.['failureReason']] : []
    const status = words.map((word) => (word === undefined ? '' : ` ${escaped(String(word))}`)).join('')
    return `<li>${seconds} s: ${kind}${status}; answered ${escaped(answered)} (${Math.round(waitedMs())} ms)</li>`
  })
  return `<tr id="${escaped(name)}"><td><b>${escaped(name)}</b><br>${escaped(title)}${doing === 'pay' ? '' : `<br><small>${instructions[doing]}</small>`}</td><td>${word}${listOf([...texts, ...notes])}</td><td>${listOf(shorten(requests, (text) => `<li>${text}</li>`))}</td></tr>`
}

function listOf(entries: readonly string[]): string {
  return entries.length === 0 ? '' : `<ul>${entries.join('')}</ul>`
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escaped(text: string): string {
  return text.toWellFormed().replace(/[&<>"]/g, (sign) => entities[sign]!)
}
