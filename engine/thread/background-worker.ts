import { runInBackground } from './run-in-background.js'

/** The entry of a pricing thread that no POS waits for. */

runInBackground()

export { default } from './worker.js'
