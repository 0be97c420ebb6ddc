/** An error of a server that ends a statement after some rows were sent. */
export interface BehindRows {
  /** Changes the bytes of one connection from the server; one for each connection. */
  translator(): (bytes: Buffer) => Buffer
  /** Called for each reply with rows: how many rows pass before the error, and its SQLSTATE; null: the reply passes unchanged. */
  decide: () => { readonly rows: number; readonly state: string } | null
  /** Replies cut short so far. */
  readonly count: number
}

const dataRow = 'D'
const readyForQuery = 'Z'
/** Type and length of a message. */
const headBytes = 5

/**
 * For a proxy before a Postgres: of some replies only the first rows pass, then an ErrorResponse comes, and nothing until the server
 * is ready for the next statement. Statements that are cancelled or run out of memory behind rows end the same way.
 */
export function createBehindRows(): BehindRows {
  let count = 0
  const behind: BehindRows = {
    decide: () => null,
    get count() {
      return count
    },
    translator() {
      let held = Buffer.alloc(0)
      let state: 'passing' | 'passing_on' | 'swallowing' = 'passing'
      let left = 0
      let code = ''

      function passed(type: string, message: Buffer): readonly Buffer[] {
        if (type === readyForQuery) {
          state = 'passing'
          left = 0
          return [message]
        }
        if (state === 'swallowing') return []
        if (type !== dataRow || state === 'passing_on') return [message]
        if (left === 0) {
          const decided = behind.decide()
          if (decided === null) {
            state = 'passing_on'
            return [message]
          }
          left = decided.rows
          code = decided.state
        }
        left -= 1
        if (left > 0) return [message]
        count += 1
        state = 'swallowing'
        return [message, errorResponse(code)]
      }

      return (bytes) => {
        held = Buffer.concat([held, bytes])
        const out: Buffer[] = []
        while (held.length >= headBytes && held.length > held.readUInt32BE(1)) {
          const end = 1 + held.readUInt32BE(1)
          out.push(...passed(String.fromCharCode(held[0]!), held.subarray(0, end)))
          held = held.subarray(end)
        }
        return Buffer.concat(out)
      }
    },
  }
  return behind
}

function errorResponse(state: string): Buffer {
  const body = Buffer.from(`SERROR\0VERROR\0C${state}\0Minjected behind rows\0\0`)
  const head = Buffer.alloc(headBytes)
  head.write('E')
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
