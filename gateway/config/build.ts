import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Build {
  readonly version: string
  /** The first digits of its commit, with `-dirty` where files were changed; `unknown` without one. */
  readonly commit: string
}

const packageFile = join(import.meta.dirname, '..', '..', '..', 'package.json')
const commitFile = join(import.meta.dirname, '..', '..', 'commit.json')

export function runningBuild(): Build {
  const read = <T>(file: string) => JSON.parse(readFileSync(file, 'utf8')) as T
  const { version } = read<{ version: string }>(packageFile)
  const commit = existsSync(commitFile) ? read<{ commit: string }>(commitFile).commit : 'unknown'
  return { version, commit }
}

/** In one text, in the form of semantic versions: `0.1.0+412f2d88a1b2`. */
export function textFromBuild({ version, commit }: Build): string {
  return `${version}+${commit}`
}

/** The commit is empty where the text has none. */
export function buildFromText(text: string): Build {
  const [version = '', commit = ''] = text.split('+')
  return { version, commit }
}
