#!/usr/bin/env node
import { setSoundFlags } from '../../engine/thread/v8-flags.js'
import { allowChannels, channelsFrom } from '../../engine/wire/channels.js'
import { runWithAuthority, takeAuthority } from './certificates.js'
import { createProgram, runProgram } from './program.js'
import { printError, WrongUse } from './screen.js'

/** The shell's exit code for an end by SIGPIPE. */
const endedByPipe = 141

// Ends quietly when the reader of the output stops reading, as `head` does.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(endedByPipe)
  })
}

setSoundFlags()
allowChannels(channelsFrom(process.env['LOYALTY_CHANNELS'] ?? '') ?? [])
try {
  const { file, rest } = takeAuthority(process.argv.slice(2))
  if (file === null) await runProgram(createProgram(), rest)
  else process.exitCode = await runWithAuthority(file, rest)
} catch (error) {
  if (!(error instanceof WrongUse)) throw error
  printError(error.message)
  process.exitCode = 2
}
