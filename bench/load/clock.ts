/** The machine's monotonic clock in milliseconds: the same on every thread and in every process. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
