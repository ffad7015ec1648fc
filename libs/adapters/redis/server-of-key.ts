import { crc32 } from 'node:zlib'

/**
 * The servers of a list that has commas between its URLs, each once. Their order says nothing.
 * @throws Error with a sentence where one is empty
 */
export function urlsIn(list: string): readonly string[] {
  const urls = list.split(',').map((url) => url.trim())
  if (urls.includes(''))
    throw new Error('an address of Redis is empty: write one comma between two')
  return [...new Set(urls)]
}

/**
 * Consistent hashing by the highest score of a server for a key (rendezvous): all processes find
 * the same server by the same list, and one that is added or removed moves only its own keys.
 * @param servers their addresses, without user and password
 * @returns the place of the key's server in that list
 */
export function serverOfKey(servers: readonly string[]): (key: string) => number {
  const seeds = servers.map((server) => mixed(crc32(server)))
  return (key) => {
    const hash = crc32(key)
    let best = 0
    let highest = -1
    for (const [at, seed] of seeds.entries()) {
      const score = mixed(hash ^ seed)
      if (score <= highest) continue
      best = at
      highest = score
    }
    return best
  }
}

/** Each bit of the result depends on all bits: a checksum alone would order servers alike. */
function mixed(bits: number): number {
  let hash = bits
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
