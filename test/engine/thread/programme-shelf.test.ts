import t from 'tap'
import { createProgrammeShelf, versionsMax } from '../../../engine/thread/programme-shelf.js'

t.test('drops the version that has been unused the longest', async (t) => {
  const shelf = createProgrammeShelf()
  for (let version = 1; version <= versionsMax; version++) t.strictSame(shelf.use(version), [])
  t.strictSame(shelf.use(1), [])
  t.strictSame(shelf.use(versionsMax + 1), [2])
  t.strictSame(shelf.use(versionsMax + 2), [3])
})

t.test('never drops a built-in version', async (t) => {
  const shelf = createProgrammeShelf()
  for (let version = 0; version <= versionsMax; version++) t.strictSame(shelf.use(version), [])
  t.strictSame(shelf.use(versionsMax + 1), [1])
})
