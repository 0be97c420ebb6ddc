// Builds the pages under /docs from the markdown files: one JSON file an edition, which the listeners read at their start.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { escaped, readMarkdown, writeArticle } from './markdown.mjs'
import { root } from './root.mjs'

const read = (name) => readFileSync(join(root, name), 'utf8')
const markdownIn = (folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => join(folder, name))

const clients = [
  'clients/README.md',
  ...readdirSync(join(root, 'clients'))
    .map((name) => join('clients', name, 'README.md'))
    .filter((name) => existsSync(join(root, name))),
]

/** The page of the contract is made at the start of a service, with its settings. */
const contract = {
  path: '/docs/contract',
  title: 'The contract',
  about: 'endpoints, fields, codes and examples, with the settings in force here',
}

/** The contents: a page that stands in no group is found by links and by the search. */
const groups = [
  ['Integrate a POS', ['docs/integration.md', contract, ...clients]],
  [
    'The service',
    ['README.md', 'docs/architecture.md', 'docs/api.md', 'docs/programme.md', 'docs/search.md', 'docs/glossary.md'],
  ],
  [
    'Run it',
    [
      'docs/operations.md',
      'docs/runbook.md',
      'docs/settings.md',
      'docs/metrics.md',
      'docs/reliability.md',
      'docs/scale.md',
      'docs/benches.md',
    ],
  ],
  ['Change it', ['CONTRIBUTING.md', 'docs/decisions.md', 'CHANGELOG.md']],
]
const internalPages = [
  ...new Set([...groups.flatMap(([, files]) => files).filter((file) => file !== contract), ...markdownIn('docs')]),
]

/** Whoever can reach the partner address may read the first group: the rest is for those who run the service. */
const editions = {
  public: { files: internalPages.filter((file) => groups[0][1].includes(file)), groups: groups.slice(0, 1) },
  internal: { files: internalPages, groups },
}

/** `docs/x.md` is /docs/x, a README that of its folder. */
function pathOf(file) {
  const name = file
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .toLowerCase()
  return `/docs/${name === 'readme' ? name : name.replace(/\/readme$/, '')}`
}

/** What README.md says of each page. */
const abouts = new Map(
  [...read('README.md').matchAll(/^\| \[[^\]]+\]\(([^)]+)\) \| (.+) \|$/gm)].map(([, file, about]) => [file, about]),
)

/** Writes `site-<edition>.json` for the listeners of the compiled gateway in a folder. */
export async function buildDocsSite(out) {
  const folder = join(out, 'gateway', 'listeners')
  mkdirSync(folder, { recursive: true })
  const { documentSchemas } = await import(join(out, 'gateway', 'rest', 'pages', 'openapi-schemas.js'))
  const documents = new Map(internalPages.map((file) => [file, readMarkdown(read(file))]))
  for (const edition of Object.keys(editions)) {
    const site = siteOf(editions[edition], documents, sectionsOfContract(documentSchemas()))
    writeFileSync(join(folder, `site-${edition}.json`), JSON.stringify(site))
  }
}

/** The schemas of the contract, for the search: their fields and what is said of them. */
function sectionsOfContract(schemas) {
  return Object.entries(schemas).map(([name, { description = '', properties = {} }]) => {
    const fields = Object.entries(properties).map(([field, schema]) => `${field} ${schema.description ?? ''}`)
    return {
      path: `${contract.path}#${name}`,
      title: contract.title,
      heading: name,
      text: [description, ...fields].join(' '),
    }
  })
}

function siteOf({ files, groups }, documents, sectionsOfContract) {
  const assets = []
  const asset = (name, contentType, body) => {
    const hash = createHash('sha256').update(body).digest('hex').slice(0, 12)
    const path = `/docs/assets/${name.replace(/(\.\w+)$/, `.${hash}$1`)}`
    if (!assets.some((other) => other.path === path)) assets.push({ path, contentType, body })
    return path
  }
  const targets = new Map(files.map((file) => [file, pathOf(file)]))
  const image = (file) => asset(file.replace(/^.*\//, ''), 'image/svg+xml', read(file))
  const articles = files.map((file) => ({
    file,
    path: targets.get(file),
    ...writeArticle(documents.get(file), { file, targets, image }),
  }))
  const listed = groups.map(([name, entries]) => [
    name,
    entries.map((entry) => (entry === contract ? contract : listedPage(entry, targets, documents))),
  ])
  const parts = {
    contents: writeContents(listed),
    styles: [
      asset('tokens.css', 'text/css; charset=utf-8', read('docs/site/tokens.css')),
      asset('site.css', 'text/css; charset=utf-8', read('docs/site/site.css')),
    ],
    script: asset('site.js', 'text/javascript; charset=utf-8', read('docs/site/site.js')),
    icon: image('docs/site/icon.svg'),
    index: asset(
      'search.json',
      'application/json',
      JSON.stringify([...articles.flatMap(indexed), ...sectionsOfContract]),
    ),
  }
  const pages = [
    { path: '/docs', title: 'Documentation', html: writeHome(listed), headings: [] },
    ...articles.map(({ file, path, title, html, headings }) => ({ path, title, html, headings, markdown: read(file) })),
  ]
  return { shell: writeShell(parts), pages, assets }
}

/** The sections of a page, as docs/site/site.js searches them. */
function indexed({ file, path, sections }) {
  const title = names.get(file) ?? sections[0].heading
  return sections.map(({ anchor, heading, text }, at) => ({
    path: anchor === '' ? path : `${path}#${anchor}`,
    title,
    heading: at === 0 ? '' : heading,
    text,
  }))
}

/** Names in the contents that say more there than the titles of the pages. */
const names = new Map([
  ['README.md', 'Overview'],
  ['clients/README.md', 'Clients and tools'],
  ['clients/pos-js/README.md', 'Client for Node.js'],
  ['clients/pos-python/README.md', 'Client for Python'],
  ['clients/pos-java/README.md', 'Client for Java'],
  ['clients/pos-dotnet/README.md', 'Client for .NET'],
])

function listedPage(file, targets, documents) {
  const title = names.get(file) ?? documents.get(file).title
  return { path: targets.get(file), title, about: escaped(abouts.get(file) ?? '') }
}

function writeContents(listed) {
  return listed
    .map(
      ([name, entries]) =>
        `<h2>${name}</h2><ul>${entries.map(({ path, title }) => `<li><a href="${path}">${title}</a></li>`).join('')}</ul>`,
    )
    .join('\n')
}

function writeHome(listed) {
  const groups = listed.map(
    ([name, entries]) =>
      `<h2>${name}</h2><ul class="listed">${entries.map(({ path, title, about }) => `<li><a href="${path}">${title}</a>${about === '' ? '' : `<span>${about}</span>`}</li>`).join('')}</ul>`,
  )
  return `<h1>Documentation</h1><p>A POS calls this service in the middle of a card payment: which benefits does this member get on this basket?</p>${groups.join('')}`
}

/** What stands round each page; gateway/listeners/site.ts fills in the marks. */
function writeShell({ contents, styles, script, icon, index }) {
  return `<!doctype html>
<html lang="en" data-index="${index}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{title}} · Loyalty Partner Service</title>
${styles.map((path) => `<link rel="stylesheet" href="${path}">`).join('\n')}
<link rel="icon" type="image/svg+xml" href="${icon}">
<script src="${script}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header class="bar">
<a class="name" href="/docs">Loyalty<span class="long"> Partner Service</span></a>
<div class="search" hidden><input id="search" type="search" role="combobox" aria-label="Search" aria-controls="found" aria-expanded="false" placeholder="Search  /" autocomplete="off"><ul id="found" role="listbox" aria-label="Found" hidden></ul></div>
<a class="to-contents" href="#contents">Contents</a>
<button id="theme" type="button" hidden></button>
</header>
<div class="page">
<main id="main">
{{body}}
</main>
{{headings}}
<nav id="contents" aria-label="Contents">
${contents}
</nav>
</div>
</body>
</html>
`
}
