const styles = `
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; background: light-dark(#ffffff, #121417) }
main { max-width: 48rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
a { color: light-dark(#2450c8, #94b3ff) }
div { overflow-x: auto }
th, td { padding: 0.25rem 1rem 0.25rem 0; text-align: start }
`

/** A page without scripts. @param body  HTML, its texts `escaped` @param more  CSS in addition to that of every such page */
export function htmlPage(title: string, body: readonly string[], more = ''): string {
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)}</title><style>${styles}${more}</style></head><body><main>`,
    ...body,
    '</main></body></html>\n',
  ].join('\n')
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
