import t from 'tap'
import { linesOf, textsWithout } from '../../bench/knock-outs/knock-out.js'
import { mechanisms } from '../../bench/knock-outs/mechanisms.js'

t.test('every mechanism that a knock-out leaves out is found in the compiled engine', async (t) => {
  for (const mechanism of mechanisms) {
    const texts = textsWithout(mechanism)
    t.ok(texts.size > 0 && linesOf(mechanism) >= 0, mechanism.name)
  }
})

t.test('a text that is not in the engine is an error that names it', async (t) => {
  const edits = [{ file: 'dual-ascent', from: 'no such text', to: '' }]
  t.throws(() => textsWithout({ name: 'missing', pieces: [], edits }), /missing.*no such text/s)
})
