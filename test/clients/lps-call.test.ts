import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommanderError } from 'commander'
import t from 'tap'
import { methodCommand, methodNamed } from '../../clients/lps/call.js'
import { createProgram } from '../../clients/lps/program.js'
import { faultText } from '../../clients/lps/screen.js'

/** The fault of `lps call` with these words, before anything is sent. */
async function faultOf(words: readonly string[]): Promise<string> {
  try {
    await createProgram().parseAsync(['call', ...words], { from: 'user' })
    return 'none'
  } catch (error) {
    return error instanceof CommanderError ? faultText(error) : (error as Error).message
  }
}

t.test('every method of the proto files has an option for each field of its request', async (t) => {
  const listed = createProgram().commands.find((command) => command.name() === 'call')!
  let help = ''
  listed.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
  const names = [...help.matchAll(/^ {2}(\w+Service\/\w+) +(reader|support|marketing|admin)$/gm)].map(
    ([, name]) => name!,
  )
  const folder = join(import.meta.dirname, '..', '..', '..', 'proto', 'loyalty', 'v1')
  const protos = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  const declared = protos.flatMap((text) => {
    const service = /^service (\w+)/m.exec(text)?.[1]
    return [...text.matchAll(/^ {2}rpc (\w+)/gm)].map(([, method]) => `${service}/${method}`)
  })
  t.same(names.toSorted(), declared.sort())
  for (const name of names) {
    const options = methodCommand(methodNamed(name)).options.map(({ long }) => long)
    for (const field of methodNamed(name).input.fields)
      t.ok(options.includes(`--${field.name.replaceAll('_', '-')}`), `${name}: ${field.name}`)
    t.equal(await faultOf([name, '--no-such-field', 'x']), "unknown option '--no-such-field'", name)
  }
})

t.test('an unknown service, method, field or word is refused in one line', async (t) => {
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['MembersService/GetMember'], /^service: expected one of AccessService, .*; received MembersService\/GetMember$/],
    [['MemberService/GetMembr'], /^method of MemberService: expected one of GetMember, .*; received .*GetMembr$/],
    [['MemberService/GetMember', '--memberid', 'x'], /^unknown option '--memberid' \(Did you mean --member-id\?\)$/],
    [['MemberService/GetMember', 'x'], /^too many arguments/],
    [['ValueService/AdjustValue', '--amount', '2.5'], /^--amount: expected a whole number, received 2\.5$/],
    [['ValueService/AdjustValue', '--never-expires', 'no'], /^--never-expires: expected true or false, received no$/],
    [['ValueService/AdjustValue', '--opens-at', 'soon'], /^--opens-at: expected .*, received soon$/],
    [['ValueService/AdjustValue', '--member', 'anna'], /^--member: expected JSON .*, received anna$/],
    [
      ['SaleService/ListDiscrepancies', '--discrepancy', 'x'],
      /^--discrepancy: expected one of late_event, .*received x$/,
    ],
    [['MemberService/GetMember', '--json', '{"memberID":"x"}'], /GetMemberRequest.*key "memberID" is unknown$/],
    [['MemberService/GetMember', '--json', '[]'], /^--json: expected a JSON object, received \[\]$/],
    [['MemberService/GetMember', '--json', '@none.json'], /^none\.json: .*ENOENT/],
    [['MemberService/GetMember', '--member-id', 'x', '--loyalty-id', 'y'], /oneof.* set multiple times/],
    [
      ['RewardService/ActivateReward', '--times', '99999999999'],
      /ActivateRewardRequest\.times .*: 99999999999 out of range$/,
    ],
  ]
  for (const [words, fault] of wrong) t.match(await faultOf(words), fault, words.join(' '))
})

t.test('the help of a method lists what each field takes', async (t) => {
  const help = methodCommand(methodNamed('ValueService/AdjustValue')).helpInformation()
  t.match(help, /tokens of the role support, admin/)
  t.match(help, /--member\.loyalty-id <value> +text/)
  t.match(help, /--never-expires \[value\] +true or false/)
})
