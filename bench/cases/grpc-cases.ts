import { randomUUID } from 'node:crypto'
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { GetLimitRequestSchema } from '../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { GetMemberRequestSchema, UpsertMembersRequestSchema } from '../../gateway/gen/loyalty/v1/member_service_pb.js'
import { loyaltyIdOf } from '../load/catalogue.js'
import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import type { BenchCase } from './bench-case.js'
import { runClosedLoop } from './closed-loop.js'
import { partResult } from './part-result.js'

interface GrpcCall {
  readonly name: string
  readonly path: string
  readonly request: () => Buffer
  readonly note: string
}

const inFlight = 8
const membersChanged = 100
const memberAsked = loyaltyIdOf(1)

const calls: readonly GrpcCall[] = [
  {
    name: 'grpc/health',
    path: '/grpc.health.v1.Health/Check',
    request: () => Buffer.alloc(0),
    note: 'grpc.health.v1 Check',
  },
  {
    name: 'grpc/limit',
    path: '/loyalty.v1.LimitService/GetLimit',
    // Every second coupon of the bench's programme has a limit for everyone, with no period.
    request: () => bytesOf(GetLimitRequestSchema, { limitId: 'limit-coupon-1' }),
    note: 'LimitService GetLimit of one counter',
  },
  {
    name: 'grpc/member',
    path: '/loyalty.v1.MemberService/GetMember',
    request: () => bytesOf(GetMemberRequestSchema, { by: { case: 'loyaltyId', value: memberAsked } }),
    note: 'MemberService GetMember by a loyalty id',
  },
  {
    name: 'grpc/members-changed',
    path: '/loyalty.v1.MemberService/UpsertMembers',
    request: upsertRequest,
    note: `MemberService UpsertMembers, ${membersChanged} members in one transaction, fsync on`,
  },
]

/** The internal listener over gRPC, called through an independent client library. */
export const grpcCases: readonly BenchCase[] = calls.map((call) => ({
  name: call.name,
  run: (bench) => grpcCase(bench, call),
}))

async function* grpcCase(bench: Bench, call: GrpcCall): AsyncGenerator<Result> {
  const { internal, token } = await bench.service()
  const client = new Client(internal!, credentials.createInsecure())
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${token}`)
  try {
    const loop = { seconds: bench.settings.seconds / 4, inFlight }
    const report = await runClosedLoop(loop, () => send(client, metadata, call))
    yield partResult(call.name, report, { loop, note: `${call.note}; grpc-js client, plain HTTP/2` })
  } finally {
    client.close()
  }
}

function send(client: Client, metadata: Metadata, { path, request }: GrpcCall): Promise<void> {
  const asIs = (bytes: Buffer) => bytes
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, asIs, asIs, request(), metadata, (error, reply) => {
      if (error !== null) reject(error)
      else if (reply === undefined || reply.length === 0) reject(new Error(`${path} answered nothing`))
      else resolve()
    })
  })
}

/** Different members per call, so that two calls do not wait for each other's row locks. */
function upsertRequest(): Buffer {
  const requestId = randomUUID()
  const members = Array.from({ length: membersChanged }, (_, at) => ({
    memberId: `changed-${requestId}-${at}`,
    loyaltyIds: [`CHANGED-${requestId}-${at}`],
    segments: [],
  }))
  return bytesOf(UpsertMembersRequestSchema, { requestId, members })
}

function bytesOf<S extends DescMessage>(schema: S, fields: MessageInitShape<S>): Buffer {
  return Buffer.from(toBinary(schema, create(schema, fields)))
}
