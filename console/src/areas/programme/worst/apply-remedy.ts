import type { WorstChange } from '../../../../../gateway/gen/loyalty/v1/worst_baskets_pb.js'
import { itemsOf, type Path, readJson, textIn, without, withValue, writeJson } from '../builder/json-text.js'

const ids = ['benefitId', 'venueId', 'guardId']

/** The text of a document with changes; every other character stays. null: the text is no JSON, or lacks an entry that they name. */
export function withChanges(
  document: string,
  changes: readonly Pick<WorstChange, 'path' | 'valueJson'>[],
): string | null {
  let text = document
  for (const { path, valueJson } of changes) {
    const at = placeOf(text, path)
    if (at === null) return null
    text = valueJson === '' ? without(text, at) : withValue(text, at, writeJson(JSON.parse(valueJson), at))
  }
  return text
}

/** A path of positions for one of ids, such as `benefits[happy-hour].group`. */
function placeOf(text: string, path: string): Path | null {
  const [, list, written = '', rest = ''] = entryPath.exec(path) ?? []
  if (list === undefined) return null
  const id = idFrom(written)
  const entries = itemsOf(readJson(text), [list])
  const at = entries.findIndex((entry) => ids.some((name) => textIn(entry, name) === id))
  const steps = rest.split('.').flatMap((step) => {
    const [, name, place] = /^(\w+)(?:\[(\d+)\])?$/.exec(step)!
    return place === undefined ? [name!] : [name!, Number(place)]
  })
  return at === -1 ? null : [list, at, ...steps]
}

/** The id of the entry that a path names. */
export function idIn(path: string): string {
  return idFrom(entryPath.exec(path)?.[2] ?? path)
}

const entryPath = /^(\w+)\[("(?:[^"\\]|\\.)*"|[^\]]+)\]\.(.*)$/

function idFrom(written: string): string {
  return written.startsWith('"') ? String(JSON.parse(written)) : written
}
