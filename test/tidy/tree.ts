import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const top = fileURLToPath(new URL('../../', import.meta.url))

const unwatched = new Set(['node_modules', '.git', '.foldscan', '.foldscan-stack', 'coverage'])

/** Files of the project: what git tracks, or every file where there is no git. */
export const projectFiles = (): string[] =>
  existsSync(join(top, '.git')) ? tracked() : walked('').sort()

const tracked = () =>
  execFileSync('git', ['ls-files', '-z'], { cwd: top, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path && existsSync(join(top, path)))

const walked = (folder: string): string[] =>
  readdirSync(join(top, folder), { withFileTypes: true }).flatMap((entry) => {
    if (unwatched.has(entry.name)) return []
    const path = folder ? `${folder}/${entry.name}` : entry.name
    return entry.isDirectory() ? walked(path) : [path]
  })

export interface ProjectFile {
  readonly path: string
  readonly text: string
}

const binary = /\.(?:gz|png|ico|lock|mdb)$/
const printed = /\/artifacts\/|^test\/mainnet|package-lock\.json$/

export const textFiles = (): ProjectFile[] =>
  projectFiles()
    .filter((path) => !binary.test(path))
    .map((path) => ({ path, text: readFileSync(join(top, path), 'utf8') }))

/** Written by people: neither printed by a program nor published by a chain. */
export const isWritten = ({ path }: ProjectFile) => !printed.test(path)

/** The project of another indexer, whose types are installed only while it runs. */
const ofPeer = /^benchmarks\/peer\/ponder\//

export const isCode = ({ path }: ProjectFile) =>
  /\.ts$/.test(path) && !/\/artifacts\//.test(path) && !ofPeer.test(path)
