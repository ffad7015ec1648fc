import { decimalText, foreignUrl } from '../../../libs/topics/quantities.ts'
import { filledIn } from './price-source.ts'

/** Figures of a token or of the coin; null where the answer has none. */
export interface Figures {
  readonly price: string | null
  readonly volume24h: string | null
  readonly marketCap: string | null
  readonly circulatingSupply: string | null
  readonly icon: string | null
}

type Paths = { readonly price: readonly string[] } & {
  readonly [K in Exclude<keyof Figures, 'price'>]?: readonly string[] | undefined
}

const iconForm = foreignUrl(2_048)

/** One answer of a source. */
export class PriceAnswer {
  readonly #json: unknown
  /** By object: its names in lower case. Services spell addresses in their own letter case. */
  readonly #names = new WeakMap<object, Map<string, string>>()

  constructor(json: unknown) {
    this.#json = json
  }

  /** What it says at the places of the source, with `values` filled into their names. */
  figures(paths: Paths, values: Readonly<Record<string, string>>): Figures {
    const at = (path: readonly string[] | undefined) =>
      path === undefined ? undefined : this.#memberAt(path, values)
    return {
      price: decimalOf(at(paths.price)),
      volume24h: decimalOf(at(paths.volume24h)),
      marketCap: decimalOf(at(paths.marketCap)),
      circulatingSupply: decimalOf(at(paths.circulatingSupply)),
      icon: iconForm.safeParse(at(paths.icon)).data ?? null,
    }
  }

  #memberAt(path: readonly string[], values: Readonly<Record<string, string>>): unknown {
    let found = this.#json
    for (const name of path) {
      if (typeof found !== 'object' || found === null) return undefined
      found = this.#memberOf(found, filledIn(name, values))
    }
    return found
  }

  #memberOf(value: object, name: string): unknown {
    if (Object.hasOwn(value, name)) return Reflect.get(value, name)
    let names = this.#names.get(value)
    if (names === undefined) {
      names = new Map(Object.keys(value).map((key) => [key.toLowerCase(), key]))
      this.#names.set(value, names)
    }
    const same = names.get(name.toLowerCase())
    return same === undefined ? undefined : Reflect.get(value, same)
  }
}

/** JSON numbers of services are floats already: what they print is taken digit by digit. */
function decimalOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  return decimalText.safeParse(String(value).trim()).data ?? null
}
