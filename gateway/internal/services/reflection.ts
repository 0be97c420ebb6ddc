import { type DescFile, type DescMessage, type DescService, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { Code, type ConnectRouter } from '@connectrpc/connect'
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponseSchema,
} from '../../gen/grpc/reflection/v1/reflection_pb.js'

type Question = ServerReflectionRequest['messageRequest']
type Answer = NonNullable<MessageInitShape<typeof ServerReflectionResponseSchema>['messageResponse']>

/**
 * The gRPC server reflection protocol, v1, for clients such as grpcurl (from 1.8.8) and grpcui (from 1.4.2): the services registered so
 * far, and their files from the generated code.
 */
export function reflectionRoutes(router: ConnectRouter): void {
  const services = new Set([...router.handlers.map(({ service }) => service), ServerReflection])
  const schema = createSchema([...services])

  async function* answers(requests: AsyncIterable<ServerReflectionRequest>) {
    // A file is sent once in a stream.
    const sent = new Set<string>()
    for await (const request of requests) {
      const messageResponse = answer(schema, request.messageRequest, sent)
      yield { validHost: request.host, originalRequest: request, messageResponse }
    }
  }

  router.service(ServerReflection, { serverReflectionInfo: (requests) => answers(requests) })
}

/** Files by their names and by the full names of their definitions. */
interface Schema {
  readonly services: readonly string[]
  readonly files: ReadonlyMap<string, DescFile>
  readonly symbols: ReadonlyMap<string, DescFile>
  readonly messages: ReadonlySet<string>
}

function createSchema(services: readonly DescService[]): Schema {
  const files = new Map<string, DescFile>()
  for (const { file } of services) for (const each of withDependencies(file)) files.set(each.proto.name, each)
  const symbols = new Map<string, DescFile>()
  const messages = new Set<string>()
  const addMessage = (message: DescMessage) => {
    messages.add(message.typeName)
    symbols.set(message.typeName, message.file)
    for (const { name } of [...message.fields, ...message.oneofs])
      symbols.set(`${message.typeName}.${name}`, message.file)
    for (const { typeName, file } of message.nestedEnums) symbols.set(typeName, file)
    message.nestedMessages.forEach(addMessage)
  }
  for (const file of files.values()) {
    file.messages.forEach(addMessage)
    for (const { typeName } of [...file.enums, ...file.extensions, ...file.services]) symbols.set(typeName, file)
    for (const { typeName, methods } of file.services)
      for (const { name } of methods) symbols.set(`${typeName}.${name}`, file)
  }
  return { services: services.map(({ typeName }) => typeName).sort(), files, symbols, messages }
}

function answer(schema: Schema, question: Question, sent: Set<string>): Answer {
  switch (question.case) {
    case 'listServices':
      return { case: 'listServicesResponse', value: { service: schema.services.map((name) => ({ name })) } }
    case 'fileByFilename':
      return fileAnswer(schema.files.get(question.value), question.value, sent)
    case 'fileContainingSymbol':
      return fileAnswer(schema.symbols.get(question.value.replace(/^\./, '')), question.value, sent)
    case 'fileContainingExtension':
      // No message here has extensions.
      return notFound(question.value.containingType)
    case 'allExtensionNumbersOfType':
      if (!schema.messages.has(question.value)) return notFound(question.value)
      return { case: 'allExtensionNumbersResponse', value: { baseTypeName: question.value, extensionNumber: [] } }
    case undefined:
      return { case: 'errorResponse', value: { errorCode: Code.InvalidArgument, errorMessage: 'no question' } }
  }
}

/** The requested file, and its imports that were not sent before. */
function fileAnswer(file: DescFile | undefined, name: string, sent: Set<string>): Answer {
  if (file === undefined) return notFound(name)
  const wanted = withDependencies(file).filter((each) => each === file || !sent.has(each.proto.name))
  for (const each of wanted) sent.add(each.proto.name)
  const fileDescriptorProto = wanted.map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto))
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto } }
}

function notFound(name: string): Answer {
  return { case: 'errorResponse', value: { errorCode: Code.NotFound, errorMessage: `not found: ${name}` } }
}

/** A file and everything it imports, imports first. */
function withDependencies(file: DescFile): DescFile[] {
  const seen = new Set<DescFile>()
  const importsFirst: DescFile[] = []
  const add = (each: DescFile) => {
    if (seen.has(each)) return
    seen.add(each)
    each.dependencies.forEach(add)
    importsFirst.push(each)
  }
  add(file)
  return importsFirst.reverse()
}
