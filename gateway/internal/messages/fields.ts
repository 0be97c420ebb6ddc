import type { DescEnum } from '@bufbuild/protobuf'
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { type FieldViolation, invalidFields } from '../errors.js'

/** Characters of a request that an answer repeats at most. */
const receivedMax = 64
const idForm = /^[^\p{Cc}\p{Cs}]{1,64}$/u
export const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Collects the faults of a request's fields; `done` ends the call where there are any. */
export class FieldChecks {
  private readonly violations: FieldViolation[] = []

  /** 1 to 64 characters, no control characters. */
  id(field: string, value: string): this {
    return this.expect(field, idForm.test(value), '1 to 64 characters without control characters', value)
  }

  /** As `id`, or empty for a filter that is not set. */
  idOrEmpty(field: string, value: string): this {
    return value === '' ? this : this.id(field, value)
  }

  /** UUID, lower-case and hyphenated. */
  uuid(field: string, value: string): this {
    return this.expect(field, uuidForm.test(value), 'a UUID, lower-case and hyphenated', value)
  }

  /** A value of the enum, or 0 for a filter that is not set: an unknown number must not mean `any`. */
  enumOrNone(field: string, schema: DescEnum, value: number): this {
    return this.expect(field, schema.value[value] !== undefined, `a value of ${schema.name}`, String(value))
  }

  expect(field: string, holds: boolean, expected: string, received: string): this {
    if (!holds) this.violations.push({ field, description: `expected ${expected}; received ${quoted(received)}` })
    return this
  }

  done(): void {
    if (this.violations.length > 0) throw invalidFields(this.violations)
  }
}

export function quoted(text: string): string {
  return text === ''
    ? 'nothing'
    : JSON.stringify(
        Array.from(text.slice(0, 2 * receivedMax))
          .slice(0, receivedMax)
          .join(''),
      )
}

/** Rounded up, so that a bound never includes earlier moments; within the range of a cursor. */
export function microsecondsFrom(at: Timestamp | undefined): number | null {
  if (at === undefined) return null
  const microseconds = Number(at.seconds) * 1_000_000 + Math.ceil(at.nanos / 1_000)
  return Math.min(Math.max(0, microseconds), Number.MAX_SAFE_INTEGER)
}

/** A receipt number of sales, 0 to 2^53 - 1; null where the filter is not set. */
export function receiptFrom(checks: FieldChecks, value: bigint | undefined): number | null {
  if (value === undefined) return null
  checks.expect('receipt_number', value >= 0n && value <= Number.MAX_SAFE_INTEGER, '0 to 2^53 - 1', String(value))
  return Number(value)
}
