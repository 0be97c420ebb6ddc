import { randomUUID } from 'node:crypto'
import type {
  DescMethod,
  DescMethodStreaming,
  DescMethodUnary,
  DescService,
  JsonObject,
  Message,
} from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import type { Transport } from '@connectrpc/connect'
import { Command, Option } from 'commander'
import { AccessService } from '../../gateway/gen/loyalty/v1/access_service_pb.js'
import { AuditService } from '../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { CalculationService } from '../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { EventService } from '../../gateway/gen/loyalty/v1/event_service_pb.js'
import { ExperimentService } from '../../gateway/gen/loyalty/v1/experiment_service_pb.js'
import { LimitService } from '../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { MemberService } from '../../gateway/gen/loyalty/v1/member_service_pb.js'
import { PosService } from '../../gateway/gen/loyalty/v1/pos_service_pb.js'
import { ProgrammeService } from '../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { ReportService } from '../../gateway/gen/loyalty/v1/report_service_pb.js'
import { RequestService } from '../../gateway/gen/loyalty/v1/request_service_pb.js'
import { ReturnService } from '../../gateway/gen/loyalty/v1/return_service_pb.js'
import { RewardService } from '../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { SaleService } from '../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { SystemService } from '../../gateway/gen/loyalty/v1/system_service_pb.js'
import { TimelineService } from '../../gateway/gen/loyalty/v1/timeline_service_pb.js'
import { ValueService } from '../../gateway/gen/loyalty/v1/value_service_pb.js'
import { VenueService } from '../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { ViewService } from '../../gateway/gen/loyalty/v1/view_service_pb.js'
import { rolesOf } from '../../gateway/internal/access.js'
import { printAnswer } from './answer.js'
import { flagsOf, jsonFrom, requestFrom, setField, typeText } from './call-request.js'
import { type InternalOptions, onInternal, withInternal } from './internal.js'
import { exits, printError, WrongUse } from './screen.js'
import { countFrom } from './words.js'

export const services: readonly DescService[] = [
  ...[AccessService, AuditService, CalculationService, EventService, ExperimentService, LimitService],
  ...[
    MemberService,
    PosService,
    ProgrammeService,
    ReportService,
    RequestService,
    ReturnService,
    RewardService,
    SaleService,
    SystemService,
  ],
  ...[TimelineService, ValueService, VenueService, ViewService],
]

const pageSizeMax = 500

export function addCall(program: Command): void {
  const call = program
    .command('call [method] [words...]')
    .summary('make any call of the internal services')
    .description(`Makes one call, such as

  lps call MemberService/GetMember --loyalty-id LOY-ANNA
  lps call ValueService/AdjustValue --member.loyalty-id LOY-ANNA --currency-id stamps --amount 2 --reason "spilt coffee"

Options are the fields of the request; lps call METHOD --help lists them. A change gets a request id, which is printed, and is repeated
under it while the service is out of reach. What the fields mean: proto/loyalty/v1 and docs/api.md.`)
    .passThroughOptions()
  call
    .addHelpText('after', () => `\n${services.flatMap(({ methods }) => methods.map(lineOf)).join('\n')}`)
    .action(async (named: string | undefined, words: readonly string[]) => {
      if (named === undefined) return call.help()
      const method = methodNamed(named)
      await methodCommand(method).copyInheritedSettings(call).parseAsync(words, { from: 'user' })
    })
}

function lineOf(method: DescMethod): string {
  return `  ${nameOf(method).padEnd(40)}  ${rolesOf(method)[0]}`
}

function nameOf({ parent, name }: DescMethod): string {
  return `${parent.name}/${name}`
}

export function methodNamed(text: string): DescMethod {
  const [serviceName = '', name] = text.replace(/^loyalty\.v1\./, '').split('/')
  const service = services.find((each) => each.name === serviceName)
  const expected = (what: string, names: readonly { readonly name: string }[]) =>
    new WrongUse(`${what}: expected one of ${names.map((each) => each.name).join(', ')}; received ${text}`)
  if (service === undefined) throw expected('service', services)
  const method = service.methods.find((each) => each.name === name)
  if (method === undefined) throw expected(`method of ${service.name}`, service.methods)
  return method
}

interface CallOptions extends InternalOptions {
  readonly json?: JsonObject
  readonly output: 'text' | 'json'
  readonly all?: boolean
  readonly count?: number
}

export function methodCommand(method: DescMethod): Command {
  const fields: JsonObject = {}
  const command = new Command(`lps call ${nameOf(method)}`)
    .description(`For tokens of the role ${rolesOf(method).join(', ')}.`)
    .helpOption('-h, --help', 'list the fields')
    .allowExcessArguments(false)
  for (const flag of flagsOf(method.input)) {
    const option = new Option(`--${flag.name} ${flag.isBoolean ? '[value]' : '<value>'}`, typeText(flag.field))
    command.addOption(option.argParser((word) => setField(fields, flag, word)).preset('true'))
  }
  command.option(
    '--json <object>',
    'the request, or the fields without an option, as protobuf JSON; @FILE: from a file',
    jsonFrom,
  )
  command.addOption(
    new Option('--output <form>', 'protobuf JSON instead of text').choices(['text', 'json']).default('text'),
  )
  if (method.methodKind !== 'unary') command.option('--count <n>', 'end after this many messages', countFrom)
  else if (isPaged(method)) command.option('--all', 'every page, not only the first')
  withInternal(command).action(
    exits(async ({ json, output, all = false, count = 0, ...place }: CallOptions) => {
      const body = { ...json, ...fields }
      if (all) body['pageSize'] ??= pageSizeMax
      if (isChange(method) && method.input.field['requestId'] !== undefined && body['requestId'] === undefined) {
        body['requestId'] = randomUUID()
        printError(`request id ${body['requestId']}`)
      }
      const request = requestFrom(method.input, body)
      return await onInternal(place, async (transport) => {
        const isOneOfSeveral = method.methodKind !== 'unary' || all
        let left = count || Number.POSITIVE_INFINITY
        for await (const answer of answersTo(transport, method, request, all)) {
          printAnswer(method.output, answer, { asJson: output === 'json', isOneOfSeveral })
          left -= 1
          if (left === 0) break
        }
        return 0
      })
    }),
  )
  return command
}

function isPaged({ input }: DescMethod): boolean {
  return input.field['pageToken'] !== undefined
}

function isChange({ idempotency }: DescMethod): boolean {
  return idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS
}

async function* answersTo(
  transport: Transport,
  method: DescMethod,
  request: Message,
  all: boolean,
): AsyncIterable<Message> {
  if (method.methodKind === 'server_streaming') {
    const leaving = new AbortController()
    const requests = (async function* () {
      yield request
    })()
    try {
      yield* (await transport.stream(method as DescMethodStreaming, leaving.signal, 0, undefined, requests)).message
    } finally {
      leaving.abort()
    }
  } else if (method.methodKind === 'unary') {
    let page = request
    for (;;) {
      const unary = method as DescMethodUnary
      const { message } = await transport.unary(unary, undefined, undefined, undefined, page)
      yield message
      const next = String((message as { readonly nextPageToken?: unknown }).nextPageToken ?? '')
      if (next !== '' && !all) printError(`there is more: --page-token ${next}, or --all`)
      if (next === '' || !all) return
      page = Object.assign({}, page, { pageToken: next })
    }
  }
}
