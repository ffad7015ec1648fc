import fc from 'fast-check'
import type { StateStore } from '../../../libs/ports/state-store.ts'
import type { ProjectorLimits } from '../loop/limits.ts'
import { type Stream, type StreamEvent, streamEvents, streamOf } from './stream.ts'
import type { World } from './world.ts'

/** A life that ends before it has folded all. */
interface ShortLife {
  readonly limits: Partial<ProjectorLimits>
  readonly killedAtStep: number
  readonly stepTurns: number
  readonly killedAtInsert: number | undefined
  /** Whose volume it has: several instances of a group write to one store. */
  readonly instance: number
  /** It finds that volume empty. */
  readonly isLost: boolean
  /** After it, the store loses that many of its last inserts. */
  readonly insertsLost: number
}

export interface Scenario {
  readonly events: readonly StreamEvent[]
  readonly lives: readonly ShortLife[]
  readonly limits: Partial<ProjectorLimits>
  /** So many of the log's last messages are delivered once more. */
  readonly again: number
}

/** Bounds so small that a short stream meets all of them. */
const limits = fc.record<Partial<ProjectorLimits>>({
  flushMessagesMax: fc.integer({ min: 1, max: 12 }),
  readMessagesMax: fc.integer({ min: 1, max: 9 }),
  liveMessagesMax: fc.constantFrom(0, 3, 1000),
  bucketsMax: fc.constantFrom(1, 1000),
  entitiesCachedMax: fc.constantFrom(1, 100),
  // All messages, some, or none are folded in slices.
  slicedWeightMin: fc.constantFrom(0, 2, 1e9),
  editsHeldMax: fc.constantFrom(1, 2, 1e9),
  sliceChangesMax: fc.constantFrom(1, 2, 1e9),
  sliceRowBytesMax: fc.constantFrom(1, 60, 1e9),
})

const calm = {
  limits,
  killedAtStep: fc.nat(14),
  stepTurns: fc.nat(2),
  killedAtInsert: fc.constant(undefined),
  instance: fc.constant(0),
  isLost: fc.constant(false),
  insertsLost: fc.constant(0),
}

/** What happens to lives, by its name. */
export const troubles = {
  'noise in the log': null,
  'kills between any two steps and inserts': fc.record<ShortLife>({
    ...calm,
    killedAtInsert: fc.option(fc.nat(20), { nil: undefined }),
  }),
  'late instances and lost volumes': fc.record<ShortLife>({
    ...calm,
    instance: fc.nat(2),
    isLost: fc.boolean(),
  }),
  'kills of several instances': fc.record<ShortLife>({
    ...calm,
    killedAtInsert: fc.option(fc.nat(60), { nil: undefined }),
    instance: fc.nat(2),
    isLost: fc.boolean(),
  }),
  'power losses of the store': fc.record<ShortLife>({ ...calm, insertsLost: fc.nat(30) }),
} as const

export const scenarios = (
  trouble: keyof typeof troubles,
  eventsMax: number,
): fc.Arbitrary<Scenario> =>
  fc.record({
    events: streamEvents(eventsMax),
    lives: fc.array(troubles[trouble] ?? fc.record<ShortLife>(calm), {
      maxLength: troubles[trouble] === null ? 0 : 8,
    }),
    limits,
    again: fc.nat(60),
  })

/** Plays a scenario to its end: afterwards every instance has folded the whole log. */
export async function play(
  world: World & { readonly store: { loseLast?: (inserts: number) => void } },
  scenario: Scenario,
  emptyVolume: () => StateStore,
): Promise<Stream> {
  const stream = streamOf(scenario.events)
  const { wire, canonical } = stream
  await world.hear([...wire, ...wire.slice(Math.max(0, wire.length - scenario.again))])
  const volumes = new Map<number, StateStore>([[0, world.state]])
  for (const { instance, isLost, insertsLost, ...life } of scenario.lives) {
    const state = (isLost ? undefined : volumes.get(instance)) ?? emptyVolume()
    volumes.set(instance, state)
    await world.live(canonical.length, { ...life, state })
    world.store.loseLast?.(insertsLost)
  }
  for (const state of volumes.values()) {
    await world.live(canonical.length, { limits: scenario.limits, stepTurns: 2, state })
  }
  return stream
}
