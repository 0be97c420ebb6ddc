import type { CalculationRecord, StoredAnswer } from '../index.js'

/**
 * A calculation stands in the front as two values, so that its answer, which is most of it, is there once and can be read
 * and outlive the rest by itself. Each is a list of sections: length (32 bits, big-endian), bytes.
 */
export interface RecordBytes {
  /** Digest, packed. */
  readonly answer: Buffer
  /** Form, JSON of the plain fields, inputs, explanation. */
  readonly record: Buffer
}

/** The form of the record written here. A build that does not know a form leaves such records to one that does. */
const form = Buffer.from('calculation 1')

export function writeAnswer({ digest, packed }: StoredAnswer): Buffer {
  return writeSections([digest, packed])
}

export function readAnswer(bytes: Buffer): StoredAnswer {
  const [digest, packed] = readSections(bytes)
  return { digest: digest!, packed: packed! }
}

export function writeRecord({ digest, packed, inputs, explanation, ...plain }: CalculationRecord): RecordBytes {
  const record = writeSections([form, Buffer.from(JSON.stringify(plain)), Buffer.from(inputs), explanation])
  return { answer: writeAnswer({ digest, packed }), record }
}

/** null: written in a form that this build does not know. */
export function readRecord({ answer, record }: RecordBytes): CalculationRecord | null {
  const [form_, plain, inputs, explanation] = readSections(record)
  if (!form_?.equals(form)) return null
  return {
    ...(JSON.parse(plain!.toString()) as Omit<CalculationRecord, 'digest' | 'packed' | 'inputs' | 'explanation'>),
    ...readAnswer(answer),
    inputs: inputs!.toString(),
    explanation: explanation!,
  }
}

function writeSections(sections: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    sections.flatMap((section) => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(section.byteLength)
      return [length, section]
    }),
  )
}

function readSections(bytes: Buffer): Buffer[] {
  const sections: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    sections.push(bytes.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return sections
}
