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
  'libs/adapters': ['libs/adapters', 'libs/chain', 'libs/ports', 'libs/signals', 'libs/settings'],
  'deploy/stack': ['deploy/stack', 'libs/adapters', 'libs/signals'],
  'deploy/dashboards': ['deploy/dashboards', 'libs/signals'],
}

/** Rooms within one of these: each sees those before it, and the files beside them see all. */
const inOrder: Readonly<Record<string, readonly string[]>> = {
  'libs/tables': ['declare', 'tables'],
  'services/projector': ['reading', 'log-identity', 'volume', 'loop', 'facts'],
}

/** The service that assembles all others; only it and what prints their pages may see them. */
const assembler = 'services/cli'
const printer = 'deploy/print'

/** Parts of libs that are for tests: they may see what tests see. */
const forTests = /\.spec\.ts$|\/testing\/|^test\/|^benchmarks\//

/** Complaints about imports that point the wrong way. `path` is relative to the top. */
export function lawlessImports(path: string, source: string): Complaint[] {
  if (forTests.test(path)) return []
  const room = roomOf(path)
  return importedBy(source)
    .filter((target) => target.startsWith('.'))
    .map((target) => posix.normalize(posix.join(posix.dirname(path), target)))
    .filter((target) => !allowed(room, roomOf(target)) || !isInOrder(path, target))
    .map((target) => `${path} must not see ${target}`)
}

const roomOf = (path: string) => path.split('/').slice(0, 2).join('/')

function isInOrder(path: string, target: string): boolean {
  const order = roomOf(path) === roomOf(target) ? inOrder[roomOf(path)] : undefined
  return order === undefined || placeIn(order, target) <= placeIn(order, path)
}

/** Files beside the rooms come last. */
function placeIn(order: readonly string[], path: string): number {
  const [, , inner = ''] = path.split('/')
  const place = order.indexOf(inner)
  return place === -1 ? order.length : place
}

function allowed(room: string, target: string): boolean {
  if (target === room) return true
  if (room === printer) return true
  if (room === assembler) return target.startsWith('libs/') || target.startsWith('services/')
  if (room.startsWith('services/')) return target.startsWith('libs/')
  return sees[room]?.includes(target) ?? false
}
