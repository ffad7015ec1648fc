import { posix } from 'node:path'
import { type Complaint, importedBy } from './text-checks.ts'
import type { ProjectFile } from './tree.ts'

/**
 * Files that import each other round about, those of types too: what two files share belongs in a
 * third. One complaint for each import that closes a circle, with the way round.
 */
export function importCircles(files: readonly ProjectFile[]): Complaint[] {
  const imports = new Map(files.map((file) => [file.path, targetsOf(file)]))
  const complaints: Complaint[] = []
  const done = new Set<string>()
  const way: string[] = []
  const visit = (path: string): void => {
    const met = way.indexOf(path)
    if (met >= 0) complaints.push([...way.slice(met), path].join(' -> '))
    if (met >= 0 || done.has(path)) return
    way.push(path)
    for (const target of imports.get(path) ?? []) visit(target)
    way.pop()
    done.add(path)
  }
  for (const path of imports.keys()) visit(path)
  return complaints
}

const targetsOf = ({ path, text }: ProjectFile): string[] =>
  importedBy(text)
    .filter((target) => target.startsWith('.'))
    .map((target) => posix.normalize(posix.join(posix.dirname(path), target)))
