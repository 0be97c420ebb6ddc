import { create, createFileRegistry, fromBinary, type Registry, toBinary } from '@bufbuild/protobuf'
import { type FileDescriptorProto, FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import type { Test } from 'tap'
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
} from '../../../gateway/gen/grpc/reflection/v1/reflection_pb.js'
import { aGrpcClient, type GrpcClient } from './grpc-client.js'
import type { Served } from './served.js'

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
    const nobody = aGrpcClient(t, served().target, null).converse(serverReflectionInfo)
    nobody.end({ messageRequest: { case: 'listServices', value: '' } })
    await t.rejects(
      async () => {
        for await (const _ of nobody) t.fail('answered')
      },
      { code: 16 },
    )
  })
}

function registryOf(file: FileDescriptorProto[]): Registry {
  return createFileRegistry(create(FileDescriptorSetSchema, { file }))
}
