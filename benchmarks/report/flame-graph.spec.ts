import { describe, expect, it } from 'vitest'
import { type CpuProfile, callsOf, flameGraph, greatestCosts } from './flame-graph.ts'

const urls = new Map([
  [2, 'file:///a/libs/topics/codec.ts'],
  [6, 'node:internal/modules/esm/loader'],
])
const node = (id: number, functionName: string, children: number[] = []) => ({
  id,
  callFrame: { functionName, url: urls.get(id) ?? '', lineNumber: 9 },
  children,
})

/** (root) calls decode, which calls parse from two places; and waits, and loads a module. */
const profile: CpuProfile = {
  nodes: [
    node(1, '(root)', [2, 5, 6]),
    node(2, 'decode', [3, 4]),
    node(3, 'parse<T>'),
    node(4, 'parse<T>'),
    node(5, '(idle)'),
    node(6, 'load', [7]),
    node(7, 'read'),
  ],
  samples: [2, 3, 4, 5, 3, 6, 7],
  timeDeltas: [100, 200, 300, 5_000, 400, 700, 800],
}

describe('the tree of calls', () => {
  it('adds up time, merges equal calls and leaves idle time and loading out', () => {
    const all = callsOf(profile)
    expect(all).toMatchObject({ total: 1_000, own: 0 })
    expect(all.calls).toHaveLength(1)
    expect(all.calls[0]).toMatchObject({ name: 'decode libs/topics/codec.ts:10', own: 100 })
    expect(all.calls[0]?.calls).toEqual([{ name: 'parse<T>', own: 900, total: 900, calls: [] }])
  })

  it('names the greatest costs by own time', () =>
    expect(greatestCosts(callsOf(profile), 2)).toEqual([
      { name: 'parse<T>', share: 0.9 },
      { name: 'decode libs/topics/codec.ts:10', share: 0.1 },
    ]))
})

it('draws boxes as wide as their share, with escaped names', () => {
  const graph = flameGraph('fold', callsOf(profile))
  expect(graph).toContain('<title>parse&lt;T&gt; 90.0 %</title>')
  expect(graph).toContain('width="1080.0"')
})
