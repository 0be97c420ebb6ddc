// A plugin of buf: the reasons after "Errors:" in the comment of each call, by its request. sendCommand holds the types of commands to them.
import { createEcmaScriptPlugin, getComments, runNodeJs } from '@bufbuild/protoplugin'

function reasonsOf(method) {
  const errors = getComments(method).leading?.replaceAll(/\s+/g, ' ').split('Errors:')[1]
  if (errors === undefined) return []
  const same = [...errors.matchAll(/as for (\w+)/g)].flatMap(([, name]) =>
    reasonsOf(method.parent.methods.find((other) => other.name === name)),
  )
  return [...new Set([...same, ...(errors.match(/\b[A-Z][A-Z_]+[A-Z]\b/g) ?? [])])].sort()
}

runNodeJs(
  createEcmaScriptPlugin({
    name: 'documented-refusals',
    version: 'v1',
    generateTs({ files, generateFile }) {
      const methods = files.flatMap(({ services }) => services.flatMap(({ methods }) => methods))
      const file = generateFile('loyalty/v1/documented_refusals.ts')
      file.print(
        '// The reasons after "Errors:" in the comments of calls, by the names of their requests. Made by .ci/documented-refusals.mjs.',
      )
      file.print('export const documentedRefusals = {')
      for (const method of methods.filter(({ input }) => input.typeName.startsWith('loyalty.')))
        file.print(`  '${method.input.typeName}': ${JSON.stringify(reasonsOf(method))},`)
      file.print('} as const')
    },
  }),
)
