import { join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..', '..', '..', 'console', 'src')

/** A module of the console, with what it imports. */
export async function load<Module>(name: string): Promise<Module> {
  const { outputFiles } = await build({
    entryPoints: [join(root, name)],
    ...{
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      logLevel: 'error',
    },
  })
  return (await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0]!.contents).toString('base64')}`
  )) as Module
}
