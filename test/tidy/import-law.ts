import { posix } from 'node:path'
import { type Complaint, importedBy } from './text-checks.ts'

/** Which rooms a room sees, itself included. Topics, tables and the rest see the words of chain. */
const sees: Readonly<Record<string, readonly string[]>> = {
  'libs/chain': ['libs/chain'],
  'libs/ports': ['libs/ports', 'libs/chain'],
  'libs/topics': ['libs/topics', 'libs/chain'],
  'libs/tables': ['libs/tables', 'libs/chain', 'libs/ports'],
  'libs/projections': ['libs/projections', 'libs/topics', 'libs/tables', 'libs/chain'],
  'libs/queries': ['libs/queries', 'libs/tables', 'libs/chain', 'libs/ports'],
  'libs/presenters': ['libs/presenters', 'libs/queries', 'libs/tables', 'libs/chain', 'libs/ports'],
  'libs/signals': ['libs/signals'],
  'libs/settings': ['libs/settings', 'libs/signals', 'libs/chain'],
  'libs/bounds': ['libs/bounds'],
  'libs/adapters': [
    ...['libs/adapters', 'libs/bounds', 'libs/chain', 'libs/ports', 'libs/signals'],
    'libs/settings',
  ],
  'deploy/stack': ['deploy/stack', 'libs/adapters', 'libs/signals'],
  'deploy/dashboards': ['deploy/dashboards', 'libs/signals'],
}

/**
 * Rooms within one of these, and which others each sees; the files beside them see all. A room sees
 * only those that stand before it, so that there is no circle.
 */
export const rooms: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'libs/tables': { declare: [], tables: ['declare'] },
  'services/enricher': { documents: [], reading: [], prices: ['reading'] },
  'services/ingestor': {
    contracts: [],
    balances: [],
    memory: ['contracts', 'balances'],
    sweep: ['balances', 'memory'],
  },
  'services/projector': {
    reading: [],
    'log-identity': ['reading'],
    volume: ['reading', 'log-identity'],
    loop: ['reading', 'log-identity', 'volume'],
    facts: ['reading', 'log-identity', 'volume', 'loop'],
  },
  'services/api': {
    response: [],
    clock: [],
    pages: ['clock', 'response'],
    rows: ['clock'],
    endpoints: ['response', 'rows'],
    request: ['endpoints', 'response'],
    examples: ['endpoints'],
    docs: ['endpoints', 'examples', 'response'],
    status: ['clock', 'response'],
  },
}

/** The service that assembles all others; only it and what prints their pages may see them. */
const assembler = 'services/cli'
const printer = 'deploy/print'

/** What is for tests may see what tests see. */
const forTests = /\.spec\.ts$|\/testing\/|^test\/|^benchmarks\/|^vitest\.config\.ts$/

/** Complaints about imports that point the wrong way. `path` is relative to the top. */
export function lawlessImports(path: string, source: string): Complaint[] {
  if (forTests.test(path)) return []
  const room = roomOf(path)
  return importedBy(source)
    .filter((target) => target.startsWith('.'))
    .map((target) => posix.normalize(posix.join(posix.dirname(path), target)))
    .filter((target) => !allowed(room, roomOf(target)) || !seesInner(path, target))
    .map((target) => `${path} must not see ${target}`)
}

const roomOf = (path: string) => path.split('/').slice(0, 2).join('/')

function seesInner(path: string, target: string): boolean {
  const inner = roomOf(path) === roomOf(target) ? rooms[roomOf(path)] : undefined
  const [from, to] = [innerOf(path), innerOf(target)]
  const seen = inner?.[from]
  return seen === undefined || from === to || seen.includes(to)
}

const innerOf = (path: string): string => path.split('/')[2] ?? ''

/** Rooms that see one that stands after them. */
export function circlesIn(all: typeof rooms): Complaint[] {
  return Object.entries(all).flatMap(([room, inner]) => {
    const order = Object.keys(inner)
    return Object.entries(inner).flatMap(([from, seen]) =>
      seen
        .filter((to) => !order.slice(0, order.indexOf(from)).includes(to))
        .map((to) => `${room}/${from} must stand after ${to}`),
    )
  })
}

function allowed(room: string, target: string): boolean {
  if (target === room) return true
  if (room === printer) return true
  if (room === assembler) return target.startsWith('libs/') || target.startsWith('services/')
  if (room.startsWith('services/')) return target.startsWith('libs/')
  return sees[room]?.includes(target) ?? false
}

/** Folders within a room of rooms that the law does not name: they would see everything. */
export function unnamedRooms(paths: readonly string[], all: typeof rooms): Complaint[] {
  const folders = new Set(
    paths
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => {
        const [first, second, third, ...rest] = path.split('/')
        return rest.length === 0 ? [] : [`${first}/${second} ${third}`]
      }),
  )
  return [...folders].flatMap((folder) => {
    const [room = '', inner = ''] = folder.split(' ')
    const named = all[room]
    return named === undefined || inner in named || inner === 'testing'
      ? []
      : [`${room}/${inner} is not in the law`]
  })
}
