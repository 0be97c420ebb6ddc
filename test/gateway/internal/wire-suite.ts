import http2 from 'node:http2'
import {
  create,
  createFileRegistry,
  type DescMethodUnary,
  fromBinary,
  type Registry,
  toBinary,
} from '@bufbuild/protobuf'
import { type FileDescriptorProto, FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import type { Test } from 'tap'
import { request } from 'undici'
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
} from '../../../gateway/gen/grpc/reflection/v1/reflection_pb.js'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { CalculationService } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { EventService } from '../../../gateway/gen/loyalty/v1/event_service_pb.js'
import { LimitService } from '../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { SaleService } from '../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { ValueService } from '../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { VenueService } from '../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { pageToken } from '../../../gateway/internal/messages/page-token.js'
import { aGrpcClient, type GrpcClient, pathOf } from './grpc-client.js'
import type { Served } from './served.js'

const { getLimit } = LimitService.method
const path = pathOf(getLimit)

/** The promises of every service on the wire, shown on one of them. */
export function wireSuite(t: Test, served: () => Served): void {
  t.test('Connect JSON over HTTP/1.1, by POST and by GET', async (t) => {
    const { service, tokens } = served()
    const headers = { authorization: `Bearer ${tokens.reader}` }
    const body = JSON.stringify({ limitId: 'cake-member', subject: 'unknown' })
    const posted = await request(`${service.internalUrl}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    })
    t.equal(posted.statusCode, 200)
    const answer = await posted.body.json()
    t.match(answer, { counter: { limitId: 'cake-member', maximum: '1' } })
    const query = `connect=v1&encoding=json&message=${encodeURIComponent(body)}`
    const got = await request(`${service.internalUrl}${path}?${query}`, { headers })
    t.same(await got.body.json(), answer)
    const missing = await request(`${service.internalUrl}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"limitId":"no-such-limit"}',
    })
    t.equal(missing.statusCode, 404)
    t.match(await missing.body.json(), {
      code: 'not_found',
      details: [{ type: 'google.rpc.ErrorInfo', debug: { reason: 'LIMIT_NOT_FOUND', domain: 'loyalty.v1' } }],
    })
  })

  t.test('a number that no JSON reader may round is refused by its field', async (t) => {
    const { service, tokens } = served()
    for (const amount of ['1.5', '1e20', '"9223372036854775808"', '"x"', 'true']) {
      const answer = await request(`${service.internalUrl}${pathOf(ValueService.method.adjustValue)}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' },
        body: `{"currencyId":"stamps","amount":${amount}}`,
      })
      t.match(await answer.body.text(), /"code":"invalid_argument".*amount/, amount)
    }
  })

  t.test('gRPC-Web answers with a message and its trailers', async (t) => {
    const { service, tokens } = served()
    const { body } = await request(`${service.internalUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.reader}`, 'content-type': 'application/grpc-web+json' },
      body: webFrame('{"limitId":"cake-member"}'),
    })
    const text = Buffer.from(await body.arrayBuffer()).toString('latin1')
    t.match(text, '"limitId":"cake-member"')
    t.match(text, /grpc-status: ?0/)
  })

  t.test('an expired, overlong or missing timeout is honoured, cut or refused', async (t) => {
    const { service, tokens } = served()
    const rows: [string, string][] = [
      ['99999999H', '0'],
      ['0n', '4'],
      ['-1S', '3'],
      ['abc', '3'],
    ]
    for (const [timeout, status] of rows) {
      const headers = { authorization: `Bearer ${tokens.reader}`, 'grpc-timeout': timeout }
      t.equal(await grpcStatus(service.internalUrl, headers), status, timeout)
    }
  })
}

/** The status of a plain gRPC call with these headers. */
function grpcStatus(origin: string, headers: Record<string, string>): Promise<string> {
  const session = http2.connect(origin)
  return new Promise<string>((resolve, reject) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc+json',
      te: 'trailers',
      ...headers,
    })
    const seen = (received: http2.IncomingHttpHeaders) => {
      if (received['grpc-status'] !== undefined) resolve(String(received['grpc-status']))
    }
    stream.on('response', seen)
    stream.on('trailers', seen)
    stream.on('error', reject)
    stream.resume()
    stream.end(webFrame('{"limitId":"cake-member"}'))
  }).finally(() => session.destroy())
}

function webFrame(text: string): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(Buffer.byteLength(text), 1)
  return Buffer.concat([head, Buffer.from(text)])
}

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

const { serverReflectionInfo } = ServerReflection.method
type Question = ServerReflectionRequest['messageRequest']
type Answer = ServerReflectionResponse['messageResponse']

/** Asks one question after the other in one stream. */
async function askAll(client: GrpcClient, questions: readonly Question[]): Promise<Answer[]> {
  const call = client.converse(serverReflectionInfo)
  const answers: Answer[] = []
  for (const messageRequest of questions) call.write({ host: 'here', messageRequest })
  call.end()
  for await (const { messageResponse } of call) answers.push(messageResponse)
  return answers
}

function filesOf(answer: Answer | undefined): FileDescriptorProto[] {
  if (answer?.case !== 'fileDescriptorResponse') throw new Error(`no files: ${answer?.case}`)
  return answer.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes))
}

/** Server reflection, as grpcurl uses it. */
export function reflectionSuite(t: Test, served: () => Served): void {
  t.test('every service is listed and described so that it can be called', async (t) => {
    const client = served().reader(t)
    const [list] = await askAll(client, [{ case: 'listServices', value: '' }])
    const names = list?.case === 'listServicesResponse' ? list.value.service.map(({ name }) => name) : []
    for (const name of [
      'LimitService',
      'MemberService',
      'ProgrammeService',
      'VenueService',
      'AuditService',
      'ValueService',
      'ReturnService',
      'RewardService',
    ])
      t.ok(names.includes(`loyalty.v1.${name}`), name)
    for (const name of ['grpc.health.v1.Health', 'grpc.reflection.v1.ServerReflection'])
      t.ok(names.includes(name), name)
    for (const name of names) {
      const [answer] = await askAll(client, [{ case: 'fileContainingSymbol', value: name }])
      // Files come with all their imports, in the order that compilers need.
      const file = filesOf(answer).reverse()
      t.ok(registryOf(file).getService(name), name)
    }
  })

  t.test('a call made from reflection alone is answered', async (t) => {
    const client = served().reader(t)
    const name = 'loyalty.v1.LimitService.GetLimit'
    const [answer] = await askAll(client, [{ case: 'fileContainingSymbol', value: name }])
    const registry = registryOf(filesOf(answer).reverse())
    const input = registry.getMessage('loyalty.v1.GetLimitRequest')!
    const output = registry.getMessage('loyalty.v1.GetLimitResponse')!
    const request = Buffer.from(toBinary(input, create(input, { limitId: 'cake-member' } as Record<string, unknown>)))
    const outcome = await client.raw('/loyalty.v1.LimitService/GetLimit', request)
    if (outcome.kind === 'refused') return void t.fail(outcome.text)
    t.match(fromBinary(output, outcome.message), { counter: { limitId: 'cake-member', maximum: 1n } })
  })

  t.test('files, fields and missing symbols are answered; a stream repeats no file', async (t) => {
    const answers = await askAll(served().reader(t), [
      { case: 'fileByFilename', value: 'loyalty/v1/limit_service.proto' },
      { case: 'fileContainingSymbol', value: 'loyalty.v1.LimitCounter.next_expiry_at' },
      { case: 'fileByFilename', value: 'google/protobuf/timestamp.proto' },
      { case: 'fileByFilename', value: '../secret' },
      { case: 'fileContainingSymbol', value: 'loyalty.v1.Nothing' },
      { case: 'allExtensionNumbersOfType', value: 'loyalty.v1.LimitCounter' },
      { case: 'allExtensionNumbersOfType', value: 'loyalty.v1.Nothing' },
      {
        case: 'fileContainingExtension',
        value: { containingType: 'loyalty.v1.LimitCounter', extensionNumber: 1 } as never,
      },
      { case: undefined },
    ])
    const names = (at: number) => filesOf(answers[at]).map(({ name }) => name)
    const imported = ['loyalty/v1/enums.proto', 'google/protobuf/timestamp.proto']
    t.same(names(0), ['loyalty/v1/limit_service.proto', ...imported])
    t.same(names(1), ['loyalty/v1/limit_service.proto'])
    t.same(names(2), ['google/protobuf/timestamp.proto'])
    for (const at of [3, 4, 6, 7]) t.match(answers[at], { case: 'errorResponse', value: { errorCode: 5 } })
    t.match(answers[5], { value: { baseTypeName: 'loyalty.v1.LimitCounter', extensionNumber: [] } })
    t.match(answers[8], { case: 'errorResponse', value: { errorCode: 3 } })
  })

  t.test('a token is needed', async (t) => {
    const anonymous = aGrpcClient(t, served().target, null).converse(serverReflectionInfo)
    anonymous.end({ messageRequest: { case: 'listServices', value: '' } })
    await t.rejects(
      async () => {
        for await (const _ of anonymous) t.fail('answered')
      },
      { code: 16 },
    )
  })
}

function registryOf(file: FileDescriptorProto[]): Registry {
  return createFileRegistry(create(FileDescriptorSetSchema, { file }))
}
