import t from 'tap'
import * as basketWords from '../../../../engine/core/base/basket.js'
import * as programmeWords from '../../../../engine/core/base/programme.js'

t.test('the words of basket and programme are types alone', async (t) => {
  t.strictSame([Object.keys(basketWords), Object.keys(programmeWords)], [[], []])
})
