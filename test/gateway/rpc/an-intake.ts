import { createProgrammeReader } from '../../../gateway/background/programme-reader.js'
import { createCallLimits } from '../../../gateway/rpc/call-limits.js'
import { createIntake, type Intake } from '../../../gateway/rpc/request.js'

/** The intake of a listener under test, with the limits of the service's default settings. */
export function anIntake(): Intake {
  return createIntake({
    limitsOf: createCallLimits({ bodyBytesMax: 262_144, linesMax: 200 }),
    programmeReader: createProgrammeReader(),
  })
}
