import type { Random } from '../../queries/random.ts'

/** The same request target in a spelling of its own, mostly as it is. */
export function spelled(target: string, random: Random): string {
  if (random.below(4) > 0) return target
  const [path = '', ...rest] = target.split('?')
  const query = rest.join('?')
  const spellings: readonly (() => string)[] = [
    () => `${path.replaceAll('/', '//')}?${query}`,
    () => `${path}/?${query}`,
    () => `${percentEncoded(path, random)}?${query}`,
    () => `${path.replace(/0x[0-9a-f]+/, (hex) => `0x${hex.slice(2).toUpperCase()}`)}?${query}`,
    () => `${path.replace(/0x/, '0X')}?${query}`,
    () => `${path.toUpperCase()}?${query}`,
    () => `${path}?${query}&${query}`,
    () => `${path}?&&${query}&=&x&unknown=1&__proto__=1`,
    () => `${path}?${query.split('&').toReversed().join('&')}`,
    () => `${path}?${query.replace(/^(\w)/, (name) => `%${hexOf(name)}`)}`,
    () => `${path.replace('/api', '/./api/../api')}?${query}`,
    () => `${path}?${query}?${query}`,
  ]
  return random.oneOf(spellings)()
}

const hexOf = (character: string) =>
  character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()

/** Some of its letters. */
const percentEncoded = (path: string, random: Random) =>
  path.replace(/[a-z0-9]/g, (letter) => (random.below(5) === 0 ? `%${hexOf(letter)}` : letter))
