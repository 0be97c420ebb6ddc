import t from 'tap'
import { sampleProgramme } from './a-shop.js'
import { aShop } from './a-visitor.js'
import { laptop, lookAtAll, phone, wall } from './looks.js'

t.setTimeout(900_000)

const windows = { phone, laptop, wall }
/** True when the window of this name is tested: `LOOKS=phone`; absent: every window. */
const isChosen = (name: string) => (process.env['LOOKS'] ?? name) === name

const shop = await aShop(t, sampleProgramme(), 120)

for (const [name, viewport] of Object.entries(windows).filter(([name]) => isChosen(name))) {
  for (const colorScheme of ['light', 'dark'] as const) {
    t.test(`every screen is as it shall be, ${colorScheme}, in the window of a ${name}`, async (t) => {
      if (shop !== null) await lookAtAll(t, shop, { viewport, colorScheme })
    })
  }
}
