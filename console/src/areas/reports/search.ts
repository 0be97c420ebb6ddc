/** What is summed up, as the address has it. */
export interface ReportSearch {
  /** First day, `YYYY-MM-DD`; absent: a week back. */
  readonly from?: string
  /** Last day, inclusive; absent: today. */
  readonly until?: string
  readonly venueId?: string
}
