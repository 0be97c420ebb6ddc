import {
  create,
  type DescMessage,
  type DescMethodBiDiStreaming,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { BinaryReader } from '@bufbuild/protobuf/wire'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import {
  Client,
  type ClientDuplexStream,
  type ClientReadableStream,
  credentials,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js'
import type { Test } from 'tap'
import { BadRequestSchema, ErrorInfoSchema } from '../../../gateway/gen/google/rpc/error_details_pb.js'
import { assertDocumented } from './documented-refusals.js'

/** The outcome of a call, with the details of an error as any client reads them. */
export type Outcome<T> = { readonly kind: 'answered'; readonly message: T } | Refused

export interface Refused {
  readonly kind: 'refused'
  /** gRPC's number of the code. */
  readonly code: number
  readonly reason: string
  readonly metadata: Readonly<Record<string, string>>
  /** Field and description. */
  readonly violations: readonly string[]
  readonly text: string
}

/** Calls of services by @grpc/grpc-js, an independent client, with one token. */
export interface GrpcClient {
  unary<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    options?: { readonly deadlineMs?: number },
  ): Promise<Outcome<MessageShape<O>>>
  /** As `unary`, but rejects without an answer. */
  ask<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
  ): Promise<MessageShape<O>>
  /** Both sides stream; messages are read as they come. */
  converse<I extends DescMessage, O extends DescMessage>(
    method: DescMethodBiDiStreaming<I, O>,
  ): ClientDuplexStream<MessageInitShape<I>, MessageShape<O>>
  /** A unary call with these bytes as its message. */
  raw(path: string, message: Buffer): Promise<Outcome<Buffer>>
  close(): void
  stream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    request: MessageInitShape<I>,
  ): ClientReadableStream<MessageShape<O>>
}

/** @param target  host:port */
export function aGrpcClient(t: Test, target: string, token: string | null): GrpcClient {
  const client = openGrpcClient(target, token)
  t.teardown(() => client.close())
  return client
}

/** As `aGrpcClient`, but the caller closes it. */
export function openGrpcClient(target: string, token: string | null): GrpcClient {
  const client = new Client(target, credentials.createInsecure(), { 'grpc.max_receive_message_length': -1 })
  const metadata = new Metadata()
  if (token !== null) metadata.set('authorization', `Bearer ${token}`)

  function unary<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    { deadlineMs = 30_000 } = {},
  ): Promise<Outcome<MessageShape<O>>> {
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        pathOf(method),
        (message: MessageShape<I>) => Buffer.from(toBinary(method.input, message)),
        (bytes: Buffer) => fromBinary(method.output, bytes),
        create(method.input, request),
        metadata,
        { deadline: Date.now() + deadlineMs },
        (error, message) => {
          if (error === null) return resolve({ kind: 'answered', message: message! })
          const refused = refusedFromError(error)
          try {
            assertDocumented(pathOf(method), refused.reason)
            resolve(refused)
          } catch (undocumented) {
            reject(undocumented)
          }
        },
      )
    })
  }

  return {
    unary,
    close: () => client.close(),
    async ask(method, request) {
      const outcome = await unary(method, request)
      if (outcome.kind === 'refused')
        throw new Error(`${method.name}: ${outcome.code} ${outcome.reason} ${outcome.text}`)
      return outcome.message
    },
    converse: (method) =>
      client.makeBidiStreamRequest(
        pathOf(method),
        (request: MessageInitShape<typeof method.input>) =>
          Buffer.from(toBinary(method.input, create(method.input, request))),
        (bytes: Buffer) => fromBinary(method.output, bytes),
        metadata,
      ),
    raw: (path, message) =>
      new Promise((resolve) => {
        const asIs = (bytes: Buffer) => bytes
        client.makeUnaryRequest(
          path,
          asIs,
          asIs,
          message,
          metadata,
          { deadline: Date.now() + 30_000 },
          (error, answer) => resolve(error === null ? { kind: 'answered', message: answer! } : refusedFromError(error)),
        )
      }),
    stream: (method, request) =>
      client.makeServerStreamRequest(
        pathOf(method),
        (message: MessageShape<typeof method.input>) => Buffer.from(toBinary(method.input, message)),
        (bytes: Buffer) => fromBinary(method.output, bytes),
        create(method.input, request),
        metadata,
      ),
  }
}

export function pathOf(method: { readonly name: string; readonly parent: { readonly typeName: string } }): string {
  return `/${method.parent.typeName}/${method.name}`
}

/** Reads google.rpc.Status from `grpc-status-details-bin`. */
export function refusedFromError(error: ServiceError): Refused {
  const [bytes] = error.metadata.get('grpc-status-details-bin')
  const details = bytes === undefined ? [] : detailsFromStatus(bytes as Buffer)
  const read = <D extends DescMessage>(schema: D): MessageShape<D> | undefined => {
    const found = details.find(({ typeUrl }) => typeUrl.endsWith(`/${schema.typeName}`))
    return found && fromBinary(schema, found.value)
  }
  const violations = read(BadRequestSchema)?.fieldViolations ?? []
  return {
    kind: 'refused',
    code: error.code,
    reason: read(ErrorInfoSchema)?.reason ?? '',
    metadata: read(ErrorInfoSchema)?.metadata ?? {},
    violations: violations.map(({ field, description }) => `${field}: ${description}`),
    text: error.details,
  }
}

/** Field 3 of google.rpc.Status: its details. */
function detailsFromStatus(bytes: Uint8Array) {
  const reader = new BinaryReader(bytes)
  const details = []
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag()
    if (field === 3) details.push(fromBinary(AnySchema, reader.bytes()))
    else reader.skip(wireType)
  }
  return details
}
