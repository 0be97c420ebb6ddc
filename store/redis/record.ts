import { createHash } from 'node:crypto'
import type { CalculationRecord, StoredAnswer } from '../ledger/calculations.js'

/**
 * Two values for each calculation, so that its answer, the larger part, is stored once and can outlive the rest. Each is a list of
 * sections: length (32 bits, big-endian), bytes. The last is a checksum over the calculationId and all sections before it.
 */
interface RecordBytes {
  readonly answer: Buffer
  readonly record: Buffer
}

/** The form of the record written here. A build leaves records of unknown form to builds that have it. */
const form = Buffer.from('calculation 1')
const anyForm = /^calculation \d+$/

export function writeAnswer(calculationId: string, { digest, packed }: StoredAnswer): Buffer {
  return writeChecked(calculationId, [digest, packed])
}

export function readAnswer(calculationId: string, bytes: Buffer): StoredAnswer | null {
  const [digest, packed] = readChecked(calculationId, bytes, 2) ?? []
  return digest && packed ? { digest, packed } : null
}

export function writeRecord(calculation: CalculationRecord): RecordBytes {
  const { digest, packed, inputs, explanation, ...plain } = calculation
  const { calculationId } = plain
  const sections = [form, Buffer.from(JSON.stringify(plain)), Buffer.from(inputs), explanation]
  return { answer: writeAnswer(calculationId, { digest, packed }), record: writeChecked(calculationId, sections) }
}

export function readRecord(
  calculationId: string,
  { answer: answerBytes, record }: RecordBytes,
): CalculationRecord | 'later' | 'broken' {
  const answer = readAnswer(calculationId, answerBytes)
  if (answer === null) return 'broken'
  const first = readSections(record)?.[0]
  if (first !== undefined && !first.equals(form) && anyForm.test(first.toString())) return 'later'
  const sections = readChecked(calculationId, record, 4)
  if (sections === null || !sections[0]!.equals(form)) return 'broken'
  const [, plainText, inputs, explanation] = sections
  const plain = readPlain(plainText!)
  if (plain?.calculationId !== calculationId) return 'broken'
  return { ...plain, ...answer, inputs: inputs!.toString(), explanation: explanation! }
}

type Plain = Omit<CalculationRecord, 'digest' | 'packed' | 'inputs' | 'explanation'>

function readPlain(bytes: Buffer): Plain | null {
  try {
    const plain: unknown = JSON.parse(bytes.toString())
    return typeof plain === 'object' ? (plain as Plain) : null
  } catch {
    return null
  }
}

function writeChecked(calculationId: string, sections: readonly Uint8Array[]): Buffer {
  const bytes = writeSections(sections)
  return Buffer.concat([bytes, writeSections([checksum(calculationId, bytes)])])
}

function readChecked(calculationId: string, bytes: Buffer, count: number): readonly Buffer[] | null {
  const sections = readSections(bytes)
  if (sections?.length !== count + 1) return null
  const sum = sections[count]!
  return sum.equals(checksum(calculationId, bytes.subarray(0, bytes.length - 4 - sum.length))) ? sections : null
}

/** SHA-1, for speed: it finds broken bytes, not forged ones. */
function checksum(calculationId: string, bytes: Buffer): Buffer {
  return createHash('sha1').update(calculationId).update(bytes).digest()
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

function readSections(bytes: Buffer): Buffer[] | null {
  const sections: Buffer[] = []
  let at = 0
  while (at + 4 <= bytes.length) {
    const end = at + 4 + bytes.readUInt32BE(at)
    if (end > bytes.length) return null
    sections.push(bytes.subarray(at + 4, end))
    at = end
  }
  return at === bytes.length ? sections : null
}
