import { readFileSync } from 'node:fs'
import { objectFromJson } from '../pos-js/calculate.js'
import { WrongUse } from './command.js'

/** A basket or a sale event from a file. */
export interface PartnerBody {
  readonly body: Buffer
  readonly calculationId: string
  readonly path: '/v1/pos/basket' | '/v1/pos/sale'
}

/** Reads a body: one with lines is a basket, any other a sale event. Throws WrongUse where it is neither. */
export function readPartnerBody(file: string): PartnerBody {
  const body = readBytes(file)
  const value = objectFromJson(body.toString('utf8'))
  const calculationId = value?.['calculationId']
  if (value === null || typeof calculationId !== 'string') {
    throw new WrongUse(`${file}: expected a JSON object with a calculationId`)
  }
  return { body, calculationId, path: 'lines' in value ? '/v1/pos/basket' : '/v1/pos/sale' }
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new WrongUse(`${file}: expected a file that can be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
