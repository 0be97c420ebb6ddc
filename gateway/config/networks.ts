import { isIP } from 'node:net'

/** Whether a text is a network, such as `10.1.0.0/16` or `fd00::/8`. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix = '', ...more] = text.split('/')
  const version = address.includes('%') ? 0 : isIP(address)
  return version !== 0 && more.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128)
}

/** True for a host that no network reaches: this machine's own. @param host  as in a URL, or as an address without brackets */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host === '::1' || /^127(\.\d+){3}$/.test(host)
}
