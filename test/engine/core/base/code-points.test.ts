import t from 'tap'
import { compareCodePoints } from '../../../../engine/core/base/code-points.js'

t.test('ids are ordered by code points', async (t) => {
  t.same(['b', '\u{1F600}', '\uFF5E', 'B', 'bb', 'b'].sort(compareCodePoints), [
    'B',
    'b',
    'b',
    'bb',
    '\uFF5E',
    '\u{1F600}',
  ])
})
