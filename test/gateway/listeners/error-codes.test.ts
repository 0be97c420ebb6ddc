import t from 'tap'
import { codeOfReason } from '../../../gateway/internal/errors.js'
import { errorCodes } from '../../../gateway/listeners/error-codes.js'
import { statusOfCode } from '../../../gateway/pos/errors.js'

t.test('REST and RPC answer each error code as the common table says', async (t) => {
  for (const [code, { status, rpc }] of Object.entries(errorCodes)) {
    t.equal(statusOfCode[code as keyof typeof statusOfCode], status, code)
    const reason = code.toUpperCase()
    if (rpc === null) t.notOk(Object.hasOwn(codeOfReason, reason), code)
    else t.equal(codeOfReason[reason as keyof typeof codeOfReason], rpc, code)
  }
})
