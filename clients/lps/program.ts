import { Command, CommanderError } from 'commander'
import { runningBuild } from '../../gateway/config/build.js'
import { addCall } from './call.js'
import { addCheck } from './check.js'
import { addCheckPos } from './check-pos.js'
import { addDoctor } from './doctor.js'
import { addExperiment } from './experiment.js'
import { addExplain } from './explain.js'
import { addExportMember } from './export-member.js'
import { addImportBalances } from './import-balances.js'
import { addImportCodes } from './import-codes.js'
import { addImportMembers } from './import-members.js'
import { addImportPrices } from './import-prices.js'
import { addLocal } from './local.js'
import { addPublish, addValidate } from './publish.js'
import { addReconcile } from './reconcile.js'
import { addReport } from './report.js'
import { faultText, print, printError, WrongUse } from './screen.js'
import { addSend, addSign } from './send.js'
import { addShadow } from './shadow.js'
import { addTail } from './tail.js'
import { addWebhookTest } from './webhook.js'
import { addWorst } from './worst.js'

export function createProgram(): Command {
  const { version, commit } = runningBuild()
  const program = new Command('lps')
    .description('lps, the Loyalty Partner Service from the command line')
    .version(`lps ${version} (${commit})`, '--version', 'print version and commit')
    .option('--ca <file>', 'PEM certificates of an authority that is accepted too; anywhere in the line')
    .addHelpText(
      'after',
      '\nlps NAME --help explains a command, and `lps call` lists every call of the internal services.',
    )
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    // The library writes its help for a missing command as an error.
    .configureOutput({ writeOut: printText, writeErr: printText, outputError: () => {} })
  for (const add of [addCall, addValidate, addPublish, addShadow, addWorst, addExplain, addReport, addExperiment])
    add(program)
  const imports = program.command('import').description('store what a file holds').helpCommand(false)
  for (const add of [addImportMembers, addImportBalances, addImportCodes, addImportPrices]) add(imports)
  addExportMember(program.command('member').description('one member').helpCommand(false))
  addWebhookTest(program.command('webhook').description('one receiver of events').helpCommand(false))
  for (const add of [addTail, addSign, addSend, addCheck, addCheckPos, addDoctor, addReconcile]) add(program)
  addLocal(program)
  return program
}

/** Runs a command; `help` before its words is `--help` after them. Sets the exit code of the process. */
export async function runProgram(program: Command, [first, ...rest]: readonly string[]): Promise<void> {
  const words = first === undefined ? [] : first === 'help' ? [...rest, '--help'] : [first, ...rest]
  const command = commandOf(program, words)
  try {
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help')) return
    if (!(error instanceof CommanderError || error instanceof WrongUse)) throw error
    printError(error instanceof WrongUse ? error.message : faultText(error))
    const method = command.name() === 'call' && words[1] !== undefined ? ` ${words[1]}` : ''
    printError(`${pathOf(command)}${method} --help explains it`)
    process.exitCode = 2
  }
}

export function commandOf(program: Command, words: readonly string[]): Command {
  let found = program
  for (const word of words) {
    if (found.commands.length === 0 || word.startsWith('-')) break
    const next = found.commands.find((command) => command.name() === word)
    if (next === undefined) {
      const names = found.commands.map((command) => command.name()).join(', ')
      throw new WrongUse(`${pathOf(found)}: unknown command ${JSON.stringify(word)}; expected one of ${names}`)
    }
    found = next
  }
  return found
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

function printText(text: string): void {
  print(text.replace(/\n$/, ''))
}
