// Markdown as HTML for the pages under /docs, with the anchors that GitHub gives its headings.
import { dirname, join, normalize } from 'node:path'
import { Marked } from 'marked'

/** Characters of a section's text that the search index holds. */
const indexedMax = 4_000

/** A page as tokens, and its title as text. */
export function readMarkdown(text) {
  const tokens = new Marked({ gfm: true }).lexer(text)
  const title = tokens.find(({ type, depth }) => type === 'heading' && depth === 1)
  return { tokens, title: escaped(plain(title?.tokens ?? [])) }
}

/**
 * The HTML of a page, its headings below the first, and its sections for the search.
 *
 * @param targets  the path of each markdown file that is a page; a link to any other file becomes plain text
 * @param image  the path of an image file
 */
export function writeArticle({ tokens, title }, { file, targets, image }) {
  const anchorOf = createAnchors()
  const headings = []
  const renderer = {
    heading({ tokens: inline, text, depth }) {
      const anchor = anchorOf(text)
      const html = this.parser.parseInline(inline)
      if (depth === 1) return `<h1 id="${anchor}">${html}</h1>\n`
      if (depth <= 3) headings.push({ anchor, depth, text: escaped(plain(inline)) })
      return `<h${depth} id="${anchor}">${html}<a class="anchor" href="#${anchor}" aria-label="Link to this heading">#</a></h${depth}>\n`
    },
    link({ href, tokens: inline }) {
      const html = this.parser.parseInline(inline)
      const target = targetOf(href, file, targets)
      if (target === null) return html
      return `<a href="${escaped(target)}"${/^https?:/.test(target) ? ' rel="noreferrer"' : ''}>${html}</a>`
    },
    image({ href, text }) {
      return `<span class="wide"><img src="${image(join(dirname(file), href))}" alt="${escaped(text)}"></span>`
    },
    table({ header, rows }) {
      const cells = (row, name) =>
        row
          .map(
            (cell) =>
              `<${name}${cell.align === 'right' ? ' class="number"' : ''}>${this.parser.parseInline(cell.tokens)}</${name}>`,
          )
          .join('')
      const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n')
      return `<div class="wide" tabindex="0" role="region" aria-label="Table"><table><thead><tr>${cells(header, 'th')}</tr></thead><tbody>${body}</tbody></table></div>\n`
    },
    code({ text }) {
      return `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`
    },
    html({ text }) {
      return escaped(text)
    },
  }
  const html = new Marked({ gfm: true, renderer }).parser(tokens)
  return { title, html, headings, sections: sectionsOf(tokens) }
}

function targetOf(href, file, targets) {
  if (/^https?:/.test(href)) return href
  if (href.startsWith('#')) return href
  const [name, anchor] = href.split('#')
  const path = targets.get(normalize(join(dirname(file), name)))
  if (path === undefined) return null
  return anchor === undefined ? path : `${path}#${anchor}`
}

/** One a heading, in order; the first has the title of the page and what stands before its next heading. */
function sectionsOf(tokens) {
  const anchorOf = createAnchors()
  const sections = [{ anchor: '', heading: '', text: '' }]
  for (const token of tokens) {
    if (token.type !== 'heading') sections.at(-1).text += ` ${plain([token])}`
    else if (token.depth === 1) {
      anchorOf(token.text)
      sections[0].heading = plain(token.tokens)
    } else sections.push({ anchor: anchorOf(token.text), heading: plain(token.tokens), text: '' })
  }
  return sections.map((section) => ({
    ...section,
    text: section.text.replace(/\s+/g, ' ').trim().slice(0, indexedMax),
  }))
}

/** The words of tokens, without marks. */
function plain(tokens) {
  return tokens
    .map((token) => {
      if (token.type === 'table')
        return [token.header, ...token.rows].map((row) => row.map((cell) => plain(cell.tokens)).join(' ')).join(' ')
      if (token.type === 'list') return token.items.map((item) => plain(item.tokens)).join(' ')
      if (token.tokens !== undefined) return plain(token.tokens)
      return token.type === 'space' ? ' ' : (token.text ?? '')
    })
    .join('')
}

/** As GitHub makes them; a second one of the same words gets a number. */
function createAnchors() {
  const seen = new Map()
  return (text) => {
    const words = text
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-')
    const count = seen.get(words) ?? 0
    seen.set(words, count + 1)
    return count === 0 ? words : `${words}-${count}`
  }
}

/** Text as HTML has it, also inside quotes. */
export function escaped(text) {
  return String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
