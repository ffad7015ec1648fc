import { type Figure, figureOf, type Goal, median } from '../report/result.ts'
import type { Swept } from './sweep-all.ts'
import type { Turn } from './turn.ts'

export interface Turns {
  readonly without: readonly Turn[]
  readonly with: readonly Turn[]
}

/** Of the chain that the time of a million pairs is computed for. */
const blockSeconds = 2

const backlogGoal: Goal = { of: 'value', bound: 'at least', limit: 20 }
const behindGoal: Goal = { of: 'value', bound: 'at most', limit: 1 }

interface Named {
  readonly name: string
  readonly unit: string
  readonly goal?: Goal
}

/** A value of each turn with observation, beside that of each without. */
function besides(turns: Turns, { name, unit, goal }: Named, of: (turn: Turn) => number): Figure {
  const [values, bare] = [turns.with.map(of), turns.without.map(of)]
  const baseline = median(bare) > 0 ? { part: 'without', values: bare } : undefined
  return figureOf({ name, unit, values, baseline, goal, checkedAnswers: checkedIn(turns.with) })
}

const checkedIn = (turns: readonly Turn[]): number =>
  turns.reduce((sum, { checkedAnswers }) => sum + checkedAnswers, 0)

export const ofBacklog = (turns: Turns): readonly Figure[] => [
  figureOf({
    name: 'backlog, without observation',
    unit: 'blocks/s',
    values: turns.without.map(({ backlogPerSecond }) => backlogPerSecond),
    goal: backlogGoal,
    checkedAnswers: checkedIn(turns.without),
  }),
  besides(
    turns,
    { name: 'backlog, with observation', unit: 'blocks/s' },
    ({ backlogPerSecond }) => backlogPerSecond,
  ),
  besides(
    turns,
    { name: 'backlog, processor time of the ingestor', unit: 'ms a block' },
    ({ backlogCpuMs }) => backlogCpuMs,
  ),
]

export function ofFollowing(turns: Turns): readonly Figure[] {
  const one = (name: string, unit: string, of: (turn: Turn) => number) =>
    besides(turns, { name: `following, ${name}`, unit }, of)
  return [
    one('announced to published, p50', 'ms', ({ delaysMs }) => share(delaysMs, 0.5)),
    one('announced to published, p99', 'ms', ({ delaysMs }) => share(delaysMs, 0.99)),
    one('eth_calls', 'a block', ({ perBlock }) => perBlock.contractCalls),
    one('calls of any method', 'a block', ({ perBlock }) => perBlock.calls),
    one('requests', 'a block', ({ perBlock }) => perBlock.requests),
    one('values observed', 'a block', ({ observedPerBlock }) => observedPerBlock),
    one('processor time of the ingestor', 'ms a block', ({ perBlock }) => perBlock.cpuMs),
    one('processor time of the node', 'ms a block', ({ perBlock }) => perBlock.nodeCpuMs),
    figureOf({
      name: 'following with observation, blocks behind at most',
      unit: 'blocks',
      values: [Math.max(...turns.with.map(({ behind }) => behind))],
      goal: behindGoal,
      checkedAnswers: checkedIn(turns.with),
    }),
  ]
}

/** Of sweeps with the same budget, one of each round. */
export function ofSweep(sweptPairs: number, rounds: readonly Swept[]): readonly Figure[] {
  const checkedAnswers = rounds.reduce((sum, round) => sum + round.checkedAnswers, 0)
  const one = (name: string, unit: string, of: (round: Swept) => number) =>
    figureOf({
      name: `sweep, at most ${sweptPairs} a block, ${name}`,
      unit,
      values: rounds.map(of),
      checkedAnswers,
    })
  return [
    one('rate', 'pairs/s', ({ perPair }) => 1_000 / perPair.atMs),
    one('observed', 'pairs a block', ({ pairs, blocks }) => pairs / blocks),
    one('eth_calls', 'for 1,000 pairs', ({ perPair }) => 1_000 * perPair.contractCalls),
    one('requests', 'for 1,000 pairs', ({ perPair }) => 1_000 * perPair.requests),
    one('a question, p50', 'ms', ({ questionsMs }) => share(questionsMs, 0.5)),
    one('a question, p99', 'ms', ({ questionsMs }) => share(questionsMs, 0.99)),
    one('processor time of the ingestor', 'ms for 1,000 pairs', ({ perPair }) => {
      return 1_000 * perPair.cpuMs
    }),
    one('volume', 'bytes a pair', ({ volumeBytes, moved }) => volumeBytes / moved),
    one(
      `a million pairs with a block every ${blockSeconds} s`,
      'min',
      ({ pairs, blocks }) => (1_000_000 * blocks * blockSeconds) / pairs / 60,
    ),
  ]
}

function share(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN
}
