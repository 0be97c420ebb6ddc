import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'

const root = join(import.meta.dirname, '..', '..', '..', 'console', 'src')

/** A module of the console that, with those it imports, needs no package, as the browser runs it. */
export async function load<Module>(name: string): Promise<Module> {
  return (await import(addressOf(join(root, name)))) as Module
}

function addressOf(file: string): string {
  const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  })
  const linked = outputText.replace(/(\sfrom\s+)'(\.[^']+)\.js'/g, (_, from: string, target: string) => {
    const stem = join(dirname(file), target)
    return `${from}'${addressOf(existsSync(`${stem}.ts`) ? `${stem}.ts` : `${stem}.tsx`)}'`
  })
  // A quote would end the text that another module imports it by.
  return `data:text/javascript,${encodeURIComponent(linked).replaceAll("'", '%27')}`
}
