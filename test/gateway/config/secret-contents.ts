import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'

/** A content that a secrets file may have by mistake; null: the file is gone. */
export type SecretContent = { readonly title: string; readonly content: string | Buffer | null }

/**
 * Contents of a file of two secrets while it is written, copied, mounted or fetched: 17 kinds. After none of them may a valid secret
 * be refused.
 */
export function secretContents(valid: string, other: string): readonly SecretContent[] {
  const whole = `${other}\n${valid}\n`
  return [
    { title: 'whole', content: whole },
    { title: 'empty', content: '' },
    { title: 'blank lines', content: '\n \n\n' },
    { title: 'cut in the first secret', content: whole.slice(0, 20) },
    { title: 'cut in the last secret', content: whole.slice(0, -20) },
    { title: 'cut before the last line feed', content: whole.slice(0, -1) },
    { title: 'cut at a line end', content: `${other}\n` },
    { title: 'cut in a secret, and a line feed', content: `${other}\n${valid.slice(0, 24)}\n` },
    { title: 'a line of an error page', content: '<html>502 Bad Gateway' },
    {
      title: 'an error page',
      content: '<html>\n<head><title>502 Bad Gateway</title></head>\n<body>\n</body>\n</html>\n',
    },
    { title: 'an error in JSON', content: '{"errors":["permission_denied"],"data":null}\n' },
    { title: 'a word', content: 'null\n' },
    { title: 'a message', content: 'Error: connect ECONNREFUSED 127.0.0.1:8200\n' },
    { title: 'bytes', content: randomBytes(512) },
    { title: 'zeros', content: Buffer.alloc(130) },
    { title: 'too much', content: `${`${'x'.repeat(63)}\n`.repeat(2_000)}` },
    { title: 'gone', content: null },
  ]
}

/** Writes a content in place, as an editor or a copy does. */
export function putContent(file: string, { content }: SecretContent): void {
  if (content === null) rmSync(file, { force: true })
  else writeFileSync(file, content)
}
