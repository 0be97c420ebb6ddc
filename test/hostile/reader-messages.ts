import { CalculationService } from '../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { ProgrammeService } from '../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { pathOf } from '../gateway/internal/grpc-client.js'
import { field, repeated } from './body-row.js'

export const simulate = pathOf(CalculationService.method.simulateBasket)
const validate = pathOf(ProgrammeService.method.validateProgramme)
const emptyLine = Buffer.from([0x3a, 0])
/** A line of one byte whose field ends beyond it: decoders read on. */
const runningOn = Buffer.from([0x3a, 1, 0x0a, 0])
const emptyDiscount = Buffer.from([0x62, 0])
const basket = (content: Uint8Array) => field(1, content)
const objects = (count: number) =>
  Buffer.concat([Buffer.from('{"venues":[{}'), repeated(Buffer.from(',{}'), count), Buffer.from(']}')])
const deep = Array.from({ length: 90 }).reduce<Buffer>((inner) => field(5, field(1, field(2, inner))), Buffer.alloc(0))

/** Messages of a reader that cost much to read. */
export const messages: readonly (readonly [name: string, path: string, message: Buffer])[] = [
  ['4 MB of empty lines', simulate, basket(repeated(emptyLine, 2_000_000))],
  ['200 KB of empty lines', simulate, basket(repeated(emptyLine, 100_000))],
  ['lines behind one that runs on', simulate, basket(Buffer.concat([runningOn, repeated(emptyLine, 300_000)]))],
  ['200 KB of empty discounts', simulate, basket(field(7, repeated(emptyDiscount, 100_000)))],
  ['as many discounts as are read', simulate, basket(field(7, repeated(emptyDiscount, 6_600)))],
  ['structs in structs', simulate, basket(field(10, deep))],
  ['unknown fields', simulate, repeated(Buffer.from([0x78, 0]), 100_000)],
  ['32 MB of empty objects', validate, field(1, objects(10_000_000))],
  ['as many empty objects as are read', validate, field(1, objects(990_000))],
  ['32 MB of brackets', validate, field(1, Buffer.alloc(32_000_000, 0x5b))],
]
