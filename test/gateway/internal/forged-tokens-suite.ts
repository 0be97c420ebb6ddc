import type { DescMethodUnary } from '@bufbuild/protobuf'
import type { Test } from 'tap'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { CalculationService } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { EventService } from '../../../gateway/gen/loyalty/v1/event_service_pb.js'
import { LimitService } from '../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { SaleService } from '../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { VenueService } from '../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { pageToken } from '../../../gateway/internal/messages/page-token.js'
import type { Served } from './served.js'

const uuid = '00000000-0000-4000-8000-000000000000'
/** Invalid in every cursor: beyond 64 and 53 bits, negative, fractions, other kinds. */
const noNumbers = [1e300, 2 ** 63, Number.MAX_SAFE_INTEGER + 1, -1, -(2 ** 53), 0.5, '1', null, true, [], {}]
const noText = [7, null, true, [], {}, 'a\u0000b']
const noUuid = [...noText, '', 'x', uuid.toUpperCase().replace('4', 'G'), `${uuid}0`]
const everyTime = [0, Number.MAX_SAFE_INTEGER, '', '', '', '', '', null, '', null, '', '']

/** A page token forged by a client is refused as a token, whatever its content. */
export function forgedTokensSuite(t: Test, served: () => Served): void {
  t.test('a forged page token is PAGE_TOKEN_INVALID in every list', async (t) => {
    const admin = served().admin(t)
    const pairs = [...noNumbers.map((each) => [each, uuid]), ...noUuid.map((each) => [1, each]), [1], [1, uuid, 1], []]
    const sale = (more: readonly unknown[]) => [0, Number.MAX_SAFE_INTEGER, '', ...more]
    const lists: readonly (readonly [DescMethodUnary, readonly unknown[], readonly (readonly unknown[])[]])[] = [
      [ProgrammeService.method.listProgrammes, [], [...noNumbers, 2 ** 31, 2 ** 32].map((each) => [each])],
      [AuditService.method.listAuditRecords, ['', '', '', '', null, null], noNumbers.map((each) => [each])],
      [CalculationService.method.listCalculations, everyTime, pairs],
      [SaleService.method.listSales, sale(['', null, null, '', '']), pairs],
      [SaleService.method.listDiscrepancies, sale(['', 'any', null, '', true, '']), pairs],
      [LimitService.method.listLimits, ['', '', '', 0, false], noText.map((each) => ['a', 'b', each])],
      [EventService.method.listEvents, ['', ''], noNumbers.map((each) => [each])],
      [VenueService.method.listVenues, [], noText.map((each) => [each])],
    ]
    for (const [method, filters, cursors] of lists) {
      for (const cursor of cursors) {
        const outcome = await admin.unary(method, {
          pageToken: pageToken(method.name, filters, cursor as never),
        } as Record<string, unknown>)
        t.match(outcome, { code: 3, reason: 'PAGE_TOKEN_INVALID' }, `${method.name} ${JSON.stringify(cursor)}`)
      }
      // The binding to list and filters is right, so that only the cursor is judged.
      const good = {
        listLimits: ['a', 'b', 'c'],
        listVenues: ['a'],
        listProgrammes: [7],
        listAuditRecords: [7],
        listEvents: [7],
      }
      const cursor = (good as Record<string, readonly (string | number)[]>)[method.localName] ?? [7, uuid]
      const outcome = await admin.unary(method, { pageToken: pageToken(method.name, filters, cursor) } as Record<
        string,
        unknown
      >)
      t.equal(outcome.kind, 'answered', `${method.name} takes ${JSON.stringify(cursor)}`)
    }
  })

  t.test('a forged cursor of the feed is PAGE_TOKEN_INVALID', async (t) => {
    const reader = served().reader(t)
    for (const place of noNumbers) {
      const cursor = pageToken('WatchSales', [''], [place as never])
      const call = reader.stream(SaleService.method.watchSales, { cursor })
      const error = await new Promise<Error>((resolve) => {
        call.on('error', resolve)
        call.on('data', () => call.cancel())
      })
      t.match(error, { code: 3 }, JSON.stringify(place))
    }
  })
}
