import { parseArgs } from 'node:util'
import { programmeSchema } from '../../engine/programme/programme-schema.js'
import type { Command } from './command.js'

export const schema: Command = {
  name: 'schema',
  summary: 'the JSON Schema of a programme document',
  help: `lps schema

Prints the JSON Schema (draft 2020-12) of a programme document, the same as GET /programme.schema.json. An editor that finds
it under "$schema" completes and checks the document. docs/programme.md explains the fields.

  lps schema > programme.schema.json`,
  async run(words, { print }) {
    parseArgs({ args: [...words], options: {} })
    print(programmeSchema().trimEnd())
    return 0
  },
}
