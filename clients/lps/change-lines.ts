import {
  type ProgrammeChange,
  ProgrammeChangeKind,
  ProgrammeChangeKindSchema,
  ProgrammePartSchema,
} from '../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { wordFromEnum } from '../../gateway/rpc/messages/words.js'

const signs: Readonly<Record<number, string>> = {
  [ProgrammeChangeKind.ADDED]: '+',
  [ProgrammeChangeKind.CHANGED]: '~',
  [ProgrammeChangeKind.REMOVED]: '-',
}

/** What a change does to a part of a programme, and to which fields of it. */
export function changeLines({ part, id, name, kind, fields }: ProgrammeChange): readonly string[] {
  const what = [wordFromEnum(ProgrammePartSchema, part), wordFromEnum(ProgrammeChangeKindSchema, kind)].join(' ')
  return [
    `${signs[kind] ?? '?'} ${what} ${id}${name === '' ? '' : ` (${name})`}`,
    ...fields.map(
      ({ path, beforeJson, afterJson }) => `    ${path}: ${beforeJson || 'nothing'} -> ${afterJson || 'nothing'}`,
    ),
  ]
}
