import { readFileSync } from 'node:fs'
import { join } from 'node:path'

// `.ci/docs.mjs` copies this folder among the pages of an edition and writes their contents.
const sidebar = JSON.parse(readFileSync(join(import.meta.dirname, 'sidebar.json'), 'utf8'))

/** As GitHub makes them; VitePress numbers repeated ones. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')

/** The content security policy refuses `style` attributes, and a table that scrolls takes the keyboard. */
function plainTables({ tokens }) {
  for (const token of tokens) {
    if (token.attrGet('style') === 'text-align:right') token.attrs = [['class', 'number']]
    if (token.type === 'table_open') token.attrSet('tabindex', '0')
  }
}

// biome-ignore lint/style/noDefaultExport: VitePress asks for it
export default {
  base: '/docs/',
  lang: 'en',
  title: 'Loyalty Partner Service',
  description: 'Which benefits does this member get on this basket?',
  titleTemplate: ':title · Loyalty Partner Service',
  head: [['link', { rel: 'icon', href: '/docs/icon.svg', type: 'image/svg+xml' }]],
  // Without the style element that would stop transitions while the colours change: the policy refuses it.
  appearance: { disableTransition: false },
  cleanUrls: true,
  // Inline scripts: those of VitePress for light and dark alone, which the policy names by digest.
  metaChunk: true,
  markdown: {
    html: false,
    linkify: false,
    anchor: { slugify },
    // Colours would be `style` attributes.
    highlight: (code, _language) => `<pre tabindex="0" v-pre><code>${escaped(code)}</code></pre>`,
    config: (md) => md.core.ruler.push('plain-tables', plainTables),
  },
  // The policy refuses them; style.css has what they say.
  transformHtml: (html) => html.replaceAll(/(<[^<>]*) style="[^"]*"/g, '$1'),
  themeConfig: { sidebar, outline: [2, 3], search: { provider: 'local' } },
  vite: { logLevel: 'warn', build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 2_000 } },
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
