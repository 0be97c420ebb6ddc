import t from 'tap'
import { buildFromText, textFromBuild } from '../../../gateway/config/build.js'

t.test('version and commit make one text and are read from it; a text without a commit has an empty one', async (t) => {
  const build = { version: '1.2.3', commit: '412f2d88a1b2-dirty' }
  t.equal(textFromBuild(build), '1.2.3+412f2d88a1b2-dirty')
  t.same(buildFromText(textFromBuild(build)), build)
  t.same(buildFromText('1.2.3'), { version: '1.2.3', commit: '' })
})
