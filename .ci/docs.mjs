// Builds the pages under /docs with VitePress: one site for the partner address, one for the internal address. Its argument is
// the folder that holds the compiled gateway.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { compressBelow } from './compress.mjs'
import { protoFiles, referencePages } from './reference.mjs'
import { root } from './root.mjs'
import { rebuilt } from './stamps.mjs'

const read = (name) => readFileSync(join(root, name), 'utf8')
const clients = readdirSync(join(root, 'clients'))
  .map((name) => `clients/${name}/README.md`)
  .filter((name) => existsSync(join(root, name)))
const docs = (...names) => names.map((name) => `docs/${name}.md`)
/** Made at the build, not files of the checkout. */
const contract = 'docs/contract.md'
const languages = 'docs/languages.md'

const forPos = {
  text: 'Integrate a POS',
  files: ['docs/integration.md', languages, 'docs/shop-questions.md', contract, 'clients/README.md', ...clients],
}
const forOperators = [
  {
    text: 'The service',
    files: ['README.md', ...docs('architecture', 'api', 'programme', 'experiments', 'console', 'search', 'glossary')],
  },
  { text: 'Run it', files: docs('operations', 'runbook', 'settings', 'metrics', 'reliability', 'scale', 'benches') },
  { text: 'Change it', files: ['CONTRIBUTING.md', 'docs/decisions.md', 'CHANGELOG.md'] },
]
/** Made at the build, too. */
const reference = { text: 'Internal calls', files: [] }
const editions = { public: [forPos], internal: [forPos, ...forOperators, reference] }

/** Titles that say more in the contents than those of the pages. */
const titles = {
  'README.md': 'Overview',
  'clients/README.md': 'Clients and tools',
  'clients/pos-js/README.md': 'Client for Node.js',
  'clients/pos-python/README.md': 'Client for Python',
  'clients/pos-php/README.md': 'Client for PHP',
  'clients/pos-go/README.md': 'Client for Go',
  'clients/pos-java/README.md': 'Client for Java',
  'clients/pos-dotnet/README.md': 'Client for .NET',
}

/** Samples that tests run: a name, the page, the language of its blocks, those of a first basket and those of its sale and a return. */
const samples = [
  ['curl', 'docs/integration.md', 'sh', [0, 1], [2, 4]],
  ['TypeScript', 'clients/pos-js/README.md', 'js', [0], [1]],
  ['Python', 'clients/pos-python/README.md', 'python', [0], [1]],
  ['Java', 'clients/pos-java/README.md', 'java', [0], [1]],
  ['C#', 'clients/pos-dotnet/README.md', 'csharp', [0], [1]],
  ['PHP', 'clients/pos-php/README.md', 'php', [0], [1]],
  ['Go', 'clients/pos-go/README.md', 'go', [0], [1]],
]

const out = process.argv[2]
const madeOf = ['docs', 'proto', 'clients', 'gateway/pos/pages', 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md']
await rebuilt(join(out, '.docs'), ['package-lock.json', 'console/src/icon.svg', ...madeOf], buildDocs)

/** Builds `docs/<edition>` in a folder of its own, because a gateway may serve the last build, then replaces that. */
async function buildDocs() {
  const { build } = await import('vitepress')
  const pages = await readPages()
  const work = mkdtempSync(join(out, '.docs-'))
  mkdirSync(join(out, 'docs'), { recursive: true })
  for (const [edition, groups] of Object.entries(editions)) {
    const sources = join(work, edition)
    const built = join(work, 'built')
    writeSources(sources, groups, pages)
    await build(sources, { outDir: built })
    for (const file of groups.flatMap(({ files }) => files)) writeFile(join(built, nameOf(file)), pages.get(file))
    if (groups.includes(reference)) for (const [name, text] of protoFiles()) writeFile(join(built, name), text)
    compressBelow(built, 5)
    rmSync(join(out, 'docs', edition), { recursive: true, force: true })
    renameSync(built, join(out, 'docs', edition))
  }
  rmSync(work, { recursive: true })
}

async function readPages() {
  const compiled = (name) => import(join(out, 'gateway', `${name}.js`))
  const { contractPage } = await compiled('pos/pages/contract-page')
  const { openApiDocument } = await compiled('pos/pages/openapi')
  const { readConfig } = await compiled('config/read-config')
  const { rolesOf } = await compiled('internal/access')
  const files = editions.internal
    .flatMap(({ files }) => files)
    .filter((file) => file !== contract && file !== languages)
  const ofReference = referencePages(rolesOf)
  reference.files = [...ofReference.keys()]
  return new Map([
    ...files.map((file) => [file, read(file)]),
    ...ofReference,
    [languages, languagesPage()],
    [contract, contractPage(openApiDocument(readConfig({}).config))],
  ])
}

/** @param part  0: a first basket; 1: its sale and a return */
function tabsOf(part) {
  const tabs = samples.map(([name, file, language, ...parts]) => {
    const blocks = [...read(file).matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))]
    const code = parts[part].map((at) => {
      if (blocks[at] === undefined) throw new Error(`${file}: expected a block ${at + 1} of ${language}`)
      return blocks[at][1]
    })
    return `\`\`\`${language} [${name}]\n${code.join('\n')}\`\`\``
  })
  return `::: code-group\n\n${tabs.join('\n\n')}\n\n:::`
}

function languagesPage() {
  return `# In your language

A first basket. With curl you sign and send it yourself; the others use our [clients](../clients/README.md), which also judge the answer and deliver the event. \`LOYALTY_URL\` and \`LOYALTY_SECRET\` name the service. A test runs each sample.

${tabsOf(0)}

## The sale, and a return

The same programs go on with the event of the sale, and one of two pieces [comes back](integration.md#returns). The event must have arrived before the return; a checkout never waits for it.

${tabsOf(1)}

## Another language

\`/signature-vectors.json\` tests how you sign, \`/client-cases.json\` what you do with every answer, and [lps check-pos](../clients/README.md#judge-a-pos) the whole POS.
`
}

/** A project of VitePress: docs/.vitepress, the pages by their paths below /docs, and their contents. */
function writeSources(folder, groups, pages) {
  cpSync(join(root, 'docs', '.vitepress'), join(folder, '.vitepress'), { recursive: true })
  mkdirSync(join(folder, 'public'))
  cpSync(join(root, 'console', 'src', 'icon.svg'), join(folder, 'public', 'icon.svg'))
  for (const image of readdirSync(join(root, 'docs')).filter((name) => /\.(svg|png)$/.test(name)))
    cpSync(join(root, 'docs', image), join(folder, image))
  const listed = groups.map(({ text, files }) => ({
    text,
    items: files.map((file) => ({ text: titles[file] ?? titleOf(pages.get(file)), link: pathOf(file), file })),
  }))
  writeFileSync(join(folder, '.vitepress', 'sidebar.json'), JSON.stringify(listed))
  writeFileSync(join(folder, 'index.md'), writeHome(listed))
  for (const file of groups.flatMap(({ files }) => files)) {
    writeFile(join(folder, nameOf(file)), withLinks(pages.get(file), file, groups))
  }
}

function writeFile(name, text) {
  mkdirSync(dirname(name), { recursive: true })
  writeFileSync(name, text)
}

/** `docs/x.md` is x.md, a README that of its folder. */
function nameOf(file) {
  return file
    .replace(/^docs\//, '')
    .replace(/\/README\.md$/, '.md')
    .toLowerCase()
}

function pathOf(file) {
  return `/${nameOf(file).replace(/\.md$/, '')}`
}

function titleOf(text) {
  return /^# (.+)$/m.exec(text)[1]
}

/** Links between the files as links between the pages; without a page in the edition, only the words stay. Boxes to tick are characters. */
function withLinks(text, file, groups) {
  const linked = new Set(groups.flatMap(({ files }) => files))
  return text
    .replaceAll('- [ ] ', '- ☐ ')
    .replaceAll(/(!\[[^\]]*\]\()docs\//g, '$1')
    .replaceAll(/(?<!!)\[([^\]]+)\]\(([^)\s:#]+)(#[^)\s]*)?\)/g, (_, words, name, anchor = '') => {
      if (name.startsWith('/')) return `[${words}](pathname://${name})`
      const target = normalize(join(dirname(file), name))
      return linked.has(target) ? `[${words}](${pathOf(target)}${anchor})` : words
    })
}

/** The pages with their descriptions from README.md. */
function writeHome(listed) {
  const abouts = new Map(
    [...read('README.md').matchAll(/^- \[[^\]]+\]\(([^)]+)\): (.+)$/gm)].map(([, file, about]) => [file, about]),
  )
  const groups = listed.map(({ text, items }) => {
    const lines = items.map(
      ({ text, link, file }) => `- [${text}](${link})${abouts.has(file) ? `: ${abouts.get(file)}` : ''}`,
    )
    return `## ${text}\n\n${lines.join('\n')}`
  })
  return `# Documentation\n\nA POS calls this service in the middle of a card payment: which benefits does this member get on this basket?\n\n${groups.join('\n\n')}\n`
}
