import pino, { type DestinationStream, type Logger } from 'pino'
import type { Config, ProcessName } from '../config/config.js'

export type Log = Logger

/**
 * The service's log: one JSON record a line on standard output, written off the path.
 *
 * Only named, bounded fields are logged: never a secret, a token, a loyalty id or a body. A slow reader of the output costs records, never
 * memory.
 *
 * @param destination  receives the records in tests; undefined: standard output
 * @param process      name in every record, where several processes write to one output
 */
export function createLog(level: Config['logLevel'], destination?: DestinationStream, process?: ProcessName): Log {
  const output =
    destination ??
    pino.destination({ dest: 1, sync: false, maxLength: bufferedCharactersMax, maxWrite: wholeWriteBytes })
  return pino(
    {
      level,
      base: process === undefined ? null : { process },
      serializers: { err: errorFields },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    output,
  )
}

const bufferedCharactersMax = 16 * 1024 * 1024
const causesMax = 5
/** A pipe takes this many bytes as one piece: records of several processes never mix. */
const wholeWriteBytes = 4_096

/** An error without the fields that drivers add, such as a query's parameters. */
function errorFields(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { type: typeof error }
  const { code, kind } = error as { code?: unknown; kind?: unknown }
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof kind === 'string' ? { kind } : {}),
    stack: error.stack,
    ...(error.cause !== undefined && depth < causesMax ? { cause: errorFields(error.cause, depth + 1) } : {}),
  }
}
