import { runInBackground } from './run-in-background.js'

runInBackground()

export { default } from './worker.js'
