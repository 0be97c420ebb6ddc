#!/usr/bin/env node
import { setSoundFlags } from '../../engine/thread/v8-flags.js'
import { runningBuild } from '../../gateway/config/build.js'
import { runWithAuthority, takeAuthority } from './authority.js'
import { type Screen, WrongUse } from './command.js'
import { commands } from './commands.js'
import { harmless } from './plain-text.js'

/** The shell's exit code for an end by SIGPIPE. */
const endedByPipe = 141

const globalOptions = [
  'lps --version prints version and commit.',
  'lps NAME --ca FILE also accepts certificates of the authority in FILE.',
]

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
process.exitCode = await start(process.argv.slice(2))

async function start(words: readonly string[]): Promise<number> {
  try {
    const { file, rest } = takeAuthority(words)
    return file === null ? await run(rest) : await runWithAuthority(file, rest)
  } catch (error) {
    if (!(error instanceof WrongUse)) throw error
    screen.tell(error.message)
    return 2
  }
}

async function run(words: readonly string[]): Promise<number> {
  if (words[0] === '--version') {
    const { version, commit } = runningBuild()
    screen.print(`lps ${version} (${commit})`)
    return 0
  }
  if (words[0] === 'help') return await run([...words.slice(1), '--help'])
  const named = commands.find(({ name }) => name.split(' ').every((word, at) => words[at] === word))
  if (named === undefined) return overview(words)
  const rest = words.slice(named.name.split(' ').length)
  if (rest.some(isHelp)) {
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

/** Lists the commands of a group, such as `value`, or all. Other words are refused with the same list. */
function overview(words: readonly string[]): number {
  const [group, ...rest] = words.filter((word) => !isHelp(word))
  const ofGroup = commands.filter(({ name }) => name.startsWith(`${group} `))
  const isAsked = group === undefined || (ofGroup.length > 0 && rest.length === 0)
  if (!isAsked) screen.tell(`lps: unknown command ${JSON.stringify([group, ...rest].join(' '))}`)
  const listed = ofGroup.length > 0 ? ofGroup : commands
  const width = Math.max(...listed.map(({ name }) => name.length))
  const text = [
    ofGroup.length > 0 ? `The commands of lps ${group}` : 'lps, the Loyalty Partner Service from the command line',
    '',
    ...listed.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'lps NAME --help explains a command.',
    ...(ofGroup.length > 0 ? [] : globalOptions),
  ]
  for (const line of text) (isAsked ? screen.print : screen.tell)(line)
  return isAsked ? 0 : 2
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h'
}

/** An error of node:util for an unknown option. */
function isOptionFault(error: unknown): error is Error {
  return error instanceof TypeError && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
}
