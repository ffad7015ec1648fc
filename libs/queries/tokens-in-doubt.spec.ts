import { describe, expect, test } from 'vitest'
import { StoreUnavailable, TooManyRows } from '../ports/store.ts'
import { anAddress } from '../presenters/testing/rows.ts'
import { hiddenTokens, type TokensAfter } from './tokens-in-doubt.ts'

const [odd, plain] = [anAddress(1), anAddress(2)]
const inDoubt = (areMet: boolean) => ({
  areMet: () => areMet,
  among: async (tokens: readonly string[]) => [odd].filter((token) => tokens.includes(token)),
})

/** A list of both tokens, which counts how often it is searched. */
function searched(outcome: () => void = () => {}) {
  const asked: number[] = []
  const tokensAfter: TokensAfter<string> = async (_last, _tokensMax, { rowsReadMax }) => {
    asked.push(rowsReadMax)
    outcome()
    return [odd, plain, odd].map((token) => ({ token }))
  }
  return { asked, tokensAfter }
}

describe('tokens that a list skips', () => {
  test('are searched once, within a bound, when a row of one was met', async () => {
    const { asked, tokensAfter } = searched()
    const hidden = hiddenTokens(inDoubt(true), tokensAfter)
    expect(await hidden(null)).toEqual([odd.slice(2)])
    expect(await hidden('later')).toEqual([odd.slice(2)])
    expect(asked).toEqual([2_000_000])
  })

  test('are not searched before', async () => {
    const { asked, tokensAfter } = searched()
    expect(await hiddenTokens(inDoubt(false), tokensAfter)(null)).toEqual([])
    expect(await hiddenTokens(undefined, tokensAfter)(null)).toEqual([])
    expect(asked).toEqual([])
  })

  test('are none where the list is too long to search, which is tried once', async () => {
    const { asked, tokensAfter } = searched(() => {
      throw new TooManyRows('too long')
    })
    const hidden = hiddenTokens(inDoubt(true), tokensAfter)
    expect(await hidden(null)).toEqual([])
    expect(await hidden(null)).toEqual([])
    expect(asked).toHaveLength(1)
  })

  test('are not taken for none where the store fails', async () => {
    const { tokensAfter } = searched(() => {
      throw new StoreUnavailable('away')
    })
    await expect(hiddenTokens(inDoubt(true), tokensAfter)(null)).rejects.toThrow('away')
  })
})
