import type { Checked } from './run-checks.js'

export function junitOf(results: readonly Checked[]): string {
  const failures = results.filter(({ problem }) => problem !== null).length
  const seconds = (ms: number) => (ms / 1000).toFixed(3)
  const total = results.reduce((sum, { durationMs }) => sum + durationMs, 0)
  const cases = results.map(({ name, section, problem, durationMs }) => {
    const open = `    <testcase classname="${escaped(section)}" name="${escaped(name)}" time="${seconds(durationMs)}"`
    return problem === null ? `${open}/>` : `${open}>\n      <failure message="${escaped(problem)}"/>\n    </testcase>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${results.length}" failures="${failures}" time="${seconds(total)}">`,
    `  <testsuite name="partner contract" tests="${results.length}" failures="${failures}" time="${seconds(total)}">`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Text for an attribute; characters that XML cannot hold become spaces. */
function escaped(text: string): string {
  const sound = text.toWellFormed().replace(/[\p{Cc}\ufffe\uffff]/gu, ' ')
  return sound.replace(/[&<>"']/g, (sign) => entities[sign]!)
}
