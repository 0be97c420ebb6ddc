import { create, toBinary } from '@bufbuild/protobuf'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { GetLimitRequestSchema } from '../../gateway/gen/loyalty/v1/limit_service_pb.js'
import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import type { BenchCase } from './bench-case.js'
import { runClosedLoop } from './closed-loop.js'
import { partResult } from './part-result.js'

/** One call of an internal service, ready to be sent. */
interface GrpcCall {
  readonly name: string
  readonly path: string
  readonly request: Buffer
  readonly note: string
}

const inFlight = 8

const calls: readonly GrpcCall[] = [
  {
    name: 'grpc/health',
    path: '/grpc.health.v1.Health/Check',
    request: Buffer.alloc(0),
    note: 'grpc.health.v1 Check',
  },
  {
    name: 'grpc/limit',
    path: '/loyalty.v1.LimitService/GetLimit',
    // Every second coupon of the bench's programme is limited for everyone, for ever.
    request: Buffer.from(toBinary(GetLimitRequestSchema, create(GetLimitRequestSchema, { limitId: 'limit-coupon-1' }))),
    note: 'LimitService GetLimit of one counter, with a token; one read of Postgres',
  },
]

/** The internal listener over gRPC, asked by a client of other people's making. */
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
    client.makeUnaryRequest(path, asIs, asIs, request, metadata, (error, reply) => {
      if (error !== null) reject(error)
      else if (reply === undefined || reply.length === 0) reject(new Error(`${path} answered nothing`))
      else resolve()
    })
  })
}
