import { type LookupAddress, lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** Characters of a webhook's address at most. */
const urlMax = 2_048

export interface Reach {
  readonly http: 'refused' | 'allowed'
  /** LOYALTY_WEBHOOK_NETWORKS: private networks that are allowed, such as `10.1.0.0/16`. */
  readonly networks: readonly string[]
}

/** None of the addresses of a webhook's host is allowed. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

/**
 * Addresses that are not of the public internet: private, shared, loopback, link-local (where clouds serve metadata), and reserved ones.
 */
const insideIpv4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/3'],
]
/** For IPv6 the public range is listed; these parts of it lead to IPv4 addresses, or are reserved. */
const publicIpv6 = listOf(['2000::/3'])
const inside = listOf([...insideIpv4, '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

/** True for addresses that a webhook may be sent to. */
export function createReachTest({ networks }: Reach): (address: string) => boolean {
  const allowed = listOf(networks)
  return (address) => {
    const version = isIP(address)
    // A zone would make the check of its address throw.
    if (version === 0 || address.includes('%')) return false
    const family = version === 4 ? 'ipv4' : 'ipv6'
    if (allowed.check(address, family)) return true
    return !inside.check(address, family) && (version === 4 || publicIpv6.check(address, family))
  }
}

/** The fault of a webhook's address; null: none. The addresses of its name are checked when it is sent. */
export function urlFault(text: string, reach: Reach): string | null {
  if (text.length > urlMax || !URL.canParse(text)) return `a URL of at most ${urlMax} characters`
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && reach.http === 'allowed')) return 'an https:// URL'
  if (url.username !== '' || url.password !== '' || url.hash !== '') return 'a URL without user, password and fragment'
  const host = literalOf(url)
  if (isIP(host) !== 0 && !createReachTest(reach)(host)) return 'a host outside the own network'
  return null
}

/** The host of a URL, an IPv6 address without its brackets. */
export function literalOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/**
 * Resolves names to allowed addresses, for a connection: it goes to one of these, whatever the name resolves to later. Not used for hosts
 * that are addresses.
 */
export function createLookUp(mayReach: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: readonly LookupAddress[]) => {
      if (error !== null) return callback(error, [])
      const reachable = addresses.filter(({ address }) => mayReach(address))
      const [first] = reachable
      if (first === undefined) return callback(new AddressRefused('no address of this host may be reached'), [])
      if (options.all) callback(null, reachable)
      else callback(null, first.address, first.family)
    })
  }
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    list.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}
