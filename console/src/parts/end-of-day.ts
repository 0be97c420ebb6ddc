/**
 * The moment at which a day ends, in the time zone of the browser: what expires on a day can be used through it.
 *
 * @param day  as a date field has it, such as `2026-12-31`
 */
export function endOfDay(day: string): Date {
  const end = new Date(`${day}T00:00`)
  end.setDate(end.getDate() + 1)
  return end
}
