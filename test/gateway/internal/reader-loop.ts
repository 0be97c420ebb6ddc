import { workerData } from 'node:worker_threads'
import { messages } from '../../hostile/reader-messages.js'
import { openGrpcClient } from './grpc-client.js'

/** A thread that sends one hostile message repeatedly, until it is ended. */

const { target, token, name } = workerData as { readonly target: string; readonly token: string; readonly name: string }
const [, path, message] = messages.find(([each]) => each === name)!
const client = openGrpcClient(target, token)
for (;;) await client.raw(path, message)
