import { z } from 'zod'

const frame = z.object({ functionName: z.string(), url: z.string(), lineNumber: z.int() })

/** What `node --cpu-prof` writes, as far as it is used. */
export const cpuProfile = z.object({
  nodes: z.array(
    z.object({ id: z.int(), callFrame: frame, children: z.array(z.int()).optional() }),
  ),
  samples: z.array(z.int()),
  /** Microseconds. */
  timeDeltas: z.array(z.number()),
})

export type CpuProfile = z.infer<typeof cpuProfile>

/** A call with all that it called; times in microseconds. */
export interface Call {
  readonly name: string
  readonly own: number
  readonly total: number
  readonly calls: readonly Call[]
}

/** Time in which nothing ran says nothing about costs. */
const idle = ['(idle)', '(program)']
/** Modules are loaded once, however long a process serves. */
const loading = /^node:internal\/modules\//

const isLeftOut = ({ functionName, url }: z.infer<typeof frame>): boolean =>
  idle.includes(functionName) || loading.test(url)

const nameOf = ({ functionName, url, lineNumber }: z.infer<typeof frame>): string => {
  const name = functionName === '' ? '(anonymous)' : functionName
  const file = url
    .replace(/^.*node_modules\//, '')
    .replace(/^.*\/(?=(?:libs|services|benchmarks)\/)/, '')
  return file === '' ? name : `${name} ${file}:${lineNumber + 1}`
}

/** The tree of calls of a profile without idle time and loading; equal names below one are one. */
export function callsOf({ nodes, samples, timeDeltas }: CpuProfile): Call {
  const own = new Map<number, number>()
  for (const [at, id] of samples.entries()) {
    own.set(id, (own.get(id) ?? 0) + Math.max(0, timeDeltas[at] ?? 0))
  }
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const merged = (name: string, ids: readonly number[]): Call => {
    const children = new Map<string, number[]>()
    for (const id of ids.flatMap((id) => byId.get(id)?.children ?? [])) {
      const child = byId.get(id)
      if (child === undefined || isLeftOut(child.callFrame)) continue
      const key = nameOf(child.callFrame)
      children.set(key, [...(children.get(key) ?? []), id])
    }
    const calls = [...children].map(([key, of]) => merged(key, of))
    const self = ids.reduce((sum, id) => sum + (own.get(id) ?? 0), 0)
    return {
      name,
      own: self,
      total: calls.reduce((sum, { total }) => sum + total, self),
      calls: calls.sort((a, b) => b.total - a.total),
    }
  }
  const [root] = nodes
  return merged('all', root === undefined ? [] : [root.id])
}

export interface Cost {
  readonly name: string
  readonly share: number
}

/** Functions by their own time, wherever they were called. */
export function greatestCosts(all: Call, count: number): readonly Cost[] {
  const times = new Map<string, number>()
  const add = ({ name, own, calls }: Call) => {
    times.set(name, (times.get(name) ?? 0) + own)
    for (const call of calls) add(call)
  }
  add(all)
  return [...times]
    .sort(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([name, time]) => ({ name, share: time / all.total }))
}

const width = 1_200
const rowHeight = 17
/** Narrower calls are left out. */
const widthMin = 0.6

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** One colour a file: the same in every graph. */
function colorOf(name: string): string {
  let sum = 0
  for (const letter of name.replace(/^.* |:\d+$/g, ''))
    sum = (sum * 31 + letter.charCodeAt(0)) % 360
  return `hsl(${sum} 60% 75%)`
}

/** Calls as boxes as wide as their time, callers above what they call. */
export function flameGraph(title: string, all: Call): string {
  const boxes: string[] = []
  let depthMax = 0
  const draw = (call: Call, left: number, depth: number): void => {
    const wide = (call.total / all.total) * width
    if (wide < widthMin) return
    depthMax = Math.max(depthMax, depth)
    const y = 30 + depth * rowHeight
    const share = ((call.total / all.total) * 100).toFixed(1)
    const letters = Math.floor(wide / 6.2)
    const label = letters < 4 ? '' : escaped(call.name.slice(0, letters))
    boxes.push(
      `<g><title>${escaped(call.name)} ${share} %</title><rect x="${left.toFixed(1)}" y="${y}" ` +
        `width="${wide.toFixed(1)}" height="${rowHeight - 1}" fill="${colorOf(call.name)}"/>` +
        `<text x="${(left + 2).toFixed(1)}" y="${y + 12}">${label}</text></g>`,
    )
    let x = left
    for (const child of call.calls) {
      draw(child, x, depth + 1)
      x += (child.total / all.total) * width
    }
  }
  draw(all, 0, 0)
  const height = 40 + (depthMax + 1) * rowHeight
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="monospace" font-size="10">
<title>${escaped(title)}</title>
<text x="4" y="18" font-size="13">${escaped(title)}</text>
${boxes.join('\n')}
</svg>
`
}
