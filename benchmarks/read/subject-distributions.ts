import { mulberry32 } from '../../services/demo-chain/random.ts'
import { zipf } from '../load/traffic.ts'
import { busyIndex } from './uniform-tables.ts'

/** Which subjects are requested, in which order. */
interface SubjectDistribution {
  readonly name: string
  /** A subject may come again: to make each page anew, none must be cached. */
  readonly hasRepeated: boolean
  /** It is for lists that have a busy subject. */
  readonly needsBusy: boolean
  /** Indexes of `count` subjects out of `of`; fewer if none may be repeated and `of` is less. */
  readonly indexes: (count: number, of: number, clients: number) => readonly number[]
}

export const subjectsSeed = 1

export const uniform: SubjectDistribution = {
  name: 'uniform',
  hasRepeated: false,
  needsBusy: false,
  indexes(wanted, of, clients) {
    const count = Math.min(wanted, of)
    const step = Math.floor(of / count)
    return Array.from({ length: count }, (_, at) => ((clients % step) + at * step) % of)
  },
}

/** By Zipf's law with exponent 1; the most frequent subject is the busy one. */
export const byZipf: SubjectDistribution = {
  name: 'Zipf',
  hasRepeated: true,
  needsBusy: true,
  indexes(count, of, clients) {
    const rankOf = zipf(of + 1, 1)
    const random = mulberry32(subjectsSeed + clients)
    return Array.from({ length: count }, () => {
      const rank = rankOf(random() / 2 ** 32)
      return rank === 0 ? busyIndex : rank - 1
    })
  },
}
