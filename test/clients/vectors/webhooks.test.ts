import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { signatureOf } from '../../../gateway/background/send-webhook.js'
import {
  dotnetOfClients,
  goOfClients,
  javaOfClients,
  missing,
  phpOfClients,
  pythonOfClients,
  type Runtime,
} from '../cases/runtimes.js'

interface Vector {
  readonly name: string
  readonly secret: string
  readonly id: string
  readonly timestamp: number
  readonly body: string
  readonly bodyBase64: string
  readonly signature: string
}

const root = join(import.meta.dirname, '..', '..', '..', '..')
const file = join(root, 'gateway', 'pos', 'pages', 'signature-vectors.json')
const { webhooks } = JSON.parse(readFileSync(file, 'utf8')) as { readonly webhooks: readonly Vector[] }
const page = readFileSync(join(root, 'docs', 'api.md'), 'utf8')

t.setTimeout(180_000)

t.test('the service signs each so, and the library of Standard Webhooks the same', (t) => {
  t.equal(webhooks.length, 4)
  for (const { name, secret, id, timestamp, body, bodyBase64, signature } of webhooks) {
    const bytes = Buffer.from(bodyBase64, 'base64')
    t.equal(bytes.toString(), body, name)
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    t.equal(signatureOf(key, { id, timestamp: String(timestamp), body: bytes }), signature, name)
    t.equal(new Webhook(secret).sign(id, new Date(timestamp * 1_000), body), signature, name)
  }
  t.end()
})

interface Sample {
  readonly runtime: Runtime
  readonly file: string
  /** The sample with a call: secret, id and timestamp are arguments, the body is standard input. */
  program(sample: string): string
  /** Builds it where necessary. */
  command(file: string): readonly [program: string, ...words: string[]]
}

/** Puts a function into a class, and its imports before that. */
const inClass = (sample: string, main: string) => {
  const [imports = '', body = ''] = sample.split('\n\n', 2)
  return `${imports}\nclass Sample {\n${body}\n${main}\n}\n`
}

const samples: Readonly<Record<string, Sample>> = {
  Shell: {
    runtime: { command: ['openssl', 'version'], packages: 'openssl' },
    file: 'sample.sh',
    program: (sample) => `${sample}\nwebhook_signature "$1" "$2" "$3"\n`,
    command: (file) => ['sh', file],
  },
  TypeScript: {
    runtime: { command: ['node', '--version'], packages: 'nodejs' },
    file: 'sample.mjs',
    program: (sample) =>
      transformSync(
        `import { readFileSync } from 'node:fs'\n${sample}
        const [, , secret, id, timestamp] = process.argv
        console.log(webhookSignature(secret!, id!, timestamp!, readFileSync(0)))`,
        { loader: 'ts' },
      ).code,
    command: (file) => [process.execPath, file],
  },
  Python: {
    runtime: pythonOfClients,
    file: 'sample.py',
    program: (sample) => `${sample}\nimport sys\nprint(webhook_signature(*sys.argv[1:], sys.stdin.buffer.read()))\n`,
    command: (file) => ['python3', '-B', file],
  },
  Java: {
    runtime: javaOfClients,
    file: 'Sample.java',
    program: (sample) =>
      inClass(
        sample,
        'public static void main(String[] a) throws Exception { System.out.println(webhookSignature(a[0], a[1], a[2], System.in.readAllBytes())); }',
      ),
    command: (file) => ['java', '--source', '11', file],
  },
  'C#': {
    runtime: dotnetOfClients,
    file: 'Sample.cs',
    program: (sample) =>
      inClass(
        sample,
        `public static void Main(string[] a) { var body = new System.IO.MemoryStream(); Console.OpenStandardInput().CopyTo(body);
        Console.WriteLine(WebhookSignature(a[0], a[1], a[2], body.ToArray())); }`,
      ),
    command(file) {
      execFileSync('mcs', ['-langversion:7', `-out:${file}.exe`, file])
      return ['mono', `${file}.exe`]
    },
  },
  PHP: {
    runtime: phpOfClients,
    file: 'sample.php',
    program: (sample) =>
      `<?php\n${sample}\necho webhookSignature($argv[1], $argv[2], $argv[3], stream_get_contents(STDIN));\n`,
    command: (file) => ['php', file],
  },
  Go: {
    runtime: goOfClients,
    file: 'sample.go',
    program: (sample) => `package main
import ("io"; "os")
${sample}
func main() {
  body, _ := io.ReadAll(os.Stdin)
  signature, _ := webhookSignature(os.Args[1], os.Args[2], os.Args[3], body)
  fmt.Println(signature)
}`,
    command(file) {
      execFileSync('go', ['build', '-o', `${file}.out`, file])
      return [`${file}.out`]
    },
  },
}

for (const [language, { runtime, file, program, command }] of Object.entries(samples)) {
  t.test(`the sample for ${language} signs them so`, { skip: await missing(runtime) }, (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'webhooks-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const [, sample] = new RegExp(`\`\`\`\\w+ \\[${language}\\]\n([\\s\\S]*?)\`\`\``).exec(page) ?? []
    const path = join(folder, file)
    writeFileSync(path, program(sample!))
    const [run, ...words] = command(path)
    for (const { name, secret, id, timestamp, bodyBase64, signature } of webhooks) {
      const input = Buffer.from(bodyBase64, 'base64')
      const said = execFileSync(run, [...words, secret, id, String(timestamp)], { input, encoding: 'utf8' })
      t.equal(said.trim(), signature, name)
    }
    t.end()
  })
}
