import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const root = join(import.meta.dirname, '..', '..', '..', 'console', 'src')

/** A module of the console that imports nothing, as the browser runs it. */
export async function load<Module>(name: string): Promise<Module> {
  const { outputText } = ts.transpileModule(readFileSync(join(root, name), 'utf8'), {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  })
  return (await import(`data:text/javascript,${encodeURIComponent(outputText)}`)) as Module
}
