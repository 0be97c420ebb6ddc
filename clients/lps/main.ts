#!/usr/bin/env node
import { setSoundFlags } from '../../engine/thread/v8-flags.js'
import { type Screen, WrongUse } from './command.js'
import { commands } from './commands.js'
import { harmless } from './plain-text.js'

/** The shell's exit code for an end by SIGPIPE. */
const endedByPipe = 141

const screen: Screen = {
  print: (line) => process.stdout.write(`${harmless(line)}\n`),
  tell: (line) => process.stderr.write(`${harmless(line)}\n`),
  status: (line) => process.stderr.isTTY && process.stderr.write(`\r\u001b[K${line}`),
}

// Ends quietly when the reader of the output stops reading, as `head` does.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(endedByPipe)
  })
}

setSoundFlags()
process.exitCode = await run(process.argv.slice(2))

async function run(words: readonly string[]): Promise<number> {
  const named = commands.find(({ name }) => name.split(' ').every((word, at) => words[at] === word))
  if (named === undefined) return overview(words)
  const rest = words.slice(named.name.split(' ').length)
  if (rest.includes('--help') || rest.includes('-h')) {
    screen.print(named.help)
    return 0
  }
  try {
    return await named.run(rest, screen)
  } catch (error) {
    if (!(error instanceof WrongUse) && !isOptionFault(error)) throw error
    screen.tell(`${error.message}\nlps ${named.name} --help lists the options`)
    return 2
  }
}

function overview(words: readonly string[]): number {
  const isAsked = words.length === 0 || words[0] === '--help' || words[0] === '-h' || words[0] === 'help'
  if (!isAsked) screen.tell(`lps: unknown command ${JSON.stringify(words.join(' '))}`)
  const width = Math.max(...commands.map(({ name }) => name.length))
  const list = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  const text = [
    'lps, the Loyalty Partner Service from the command line',
    '',
    ...list,
    '',
    'lps NAME --help explains a command.',
  ]
  for (const line of text) (isAsked ? screen.print : screen.tell)(line)
  return isAsked ? 0 : 2
}

/** An error of node:util for an unknown option. */
function isOptionFault(error: unknown): error is Error {
  return error instanceof TypeError && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
}
