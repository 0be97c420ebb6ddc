export const channels: string[] = ['pos', 'mpos']

const contractCount = channels.length
const addedMax = 16

export function allowChannels(added: readonly string[]): void {
  channels.splice(contractCount, addedMax, ...added)
}

export function addedChannels(): readonly string[] {
  return channels.slice(contractCount)
}

/** Names such as `web,kiosk`; null: others, too many, or one twice. */
export function channelsFrom(text: string): readonly string[] | null {
  const names = text.split(',').map((name) => name.trim())
  const areNames = names.every((name) => /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name))
  const all = [...channels.slice(0, contractCount), ...names]
  return areNames && names.length <= addedMax && new Set(all).size === all.length ? names : null
}
