import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'

/**
 * Every statement that sources below a folder write with the tag `sql`, as the server gets it: with `$1` and so on in place of the
 * values. Each text once, in the order of its bytes.
 */
export async function collectStatements(folder: string): Promise<readonly string[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts')).sort()
  const texts = await Promise.all(files.map(async (file) => statementsOf(await readFile(join(folder, file), 'utf8'))))
  return [...new Set(texts.flat())].sort()
}

function statementsOf(source: string): readonly string[] {
  const found: string[] = []
  function visit(node: ts.Node): void {
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'sql') found.push(textOf(node.template))
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true))
  return found
}

function textOf(template: ts.TemplateLiteral): string {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.text
  const spans = template.templateSpans.map(({ literal }, at) => `$${at + 1}${literal.text}`)
  return template.head.text + spans.join('')
}
