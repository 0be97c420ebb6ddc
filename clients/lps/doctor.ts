import { timestampMs } from '@bufbuild/protobuf/wkt'
import { createClient } from '@connectrpc/connect'
import type { Command } from 'commander'
import { type Finding, FindingState, SystemService } from '../../gateway/gen/loyalty/v1/system_service_pb.js'
import { clockFinding } from '../../gateway/internal/services/diagnose.js'
import { type InternalOptions, onInternal, withInternal } from './internal.js'
import { exits, oneLine, print } from './screen.js'

const words: Readonly<Record<FindingState, string>> = {
  [FindingState.UNSPECIFIED]: 'unknown',
  [FindingState.OK]: 'ok',
  [FindingState.WARNING]: 'warning',
  [FindingState.FAULT]: 'fault',
}

export function addDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .summary('the checklist for production')
    .description(`Asks a gateway for the checks of an installation: settings, certificate, clocks, Postgres, its standby and backups, Redis,
gateways and their versions. One line each, with what to do.

Exit code 0: no fault; 1: a fault; 2: the service could not be asked.`)
  withInternal(command).action(
    exits((place: InternalOptions) =>
      onInternal(place, async (transport) => {
        const beganMs = Date.now()
        const { at, findings } = await createClient(SystemService, transport).diagnose({})
        const all = [
          clockFinding('clock of the gateway', [timestampMs(at!)], beganMs),
          ...findings,
        ] as readonly Finding[]
        for (const finding of all) print(lineOf(finding))
        return all.some(({ state }) => state === FindingState.FAULT) ? 1 : 0
      }),
    ),
  )
}

function lineOf({ check, state, found, remedy }: Finding): string {
  return oneLine(`${words[state].padEnd(7)}  ${check}: ${found}${remedy ? `. Do: ${remedy}` : ''}`)
}
