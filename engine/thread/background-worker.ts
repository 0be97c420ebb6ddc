import { runInBackground } from './v8-flags.js'

runInBackground()

export { default } from './worker.js'
