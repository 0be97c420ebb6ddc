import { isIP } from 'node:net'

/** True for a network, such as `10.1.0.0/16` or `fd00::/8`. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix = '', ...more] = text.split('/')
  const version = address.includes('%') ? 0 : isIP(address)
  return version !== 0 && more.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128)
}

/** True for this machine's own host, which no network reaches. @param host  as in a URL, or as an address without brackets */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host === '::1' || /^127(\.\d+){3}$/.test(host)
}
