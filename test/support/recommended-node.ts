import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import { stackHome } from '../../deploy/stack/binaries.ts'
import { buildOnce } from '../../deploy/stack/build-once.ts'
import { debianBinary } from './debian-binary.ts'

const run = promisify(execFile)

/** The HTTP server's binary for that Node needs glibc 2 of so much: Debian 12 has 36. */
const glibcMinorNeeded = 38
const release = 'trixie'
const libraries = ['libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1']
const fetchTimeoutMs = 5 * 60_000

/** Node's version in the image. */
export function recommendedVersion(): string {
  const dockerfile = new URL('../../deploy/Dockerfile', import.meta.url)
  const [, version] = /^ARG NODE_VERSION=(\S+)$/m.exec(readFileSync(dockerfile, 'utf8')) ?? []
  if (version === undefined) throw new Error('deploy/Dockerfile names no NODE_VERSION')
  return version
}

/**
 * Node as the image has it, from its npm package, beside the binaries of the stack. Where this
 * system's C library is too old for the HTTP server, with that of Debian 13.
 * @returns the path of its binary
 */
export async function recommendedNode(): Promise<string> {
  const version = recommendedVersion()
  const isRecent = glibcMinor() >= glibcMinorNeeded
  const folder = join(stackHome, `node-${version}${isRecent ? '' : `-${release}`}`)
  await buildOnce(folder, async (own) => {
    await unpackNode(own, version)
    if (!isRecent) await useRecentLibraries(own, folder)
  })
  return join(folder, 'node')
}

async function unpackNode(folder: string, version: string): Promise<void> {
  const options = { cwd: folder, timeout: fetchTimeoutMs }
  const wanted = `node-${process.platform}-${process.arch}@${version}`
  const { stdout: file } = await run('npm', ['pack', '--silent', wanted], options)
  await run('tar', ['-xzf', file.trim(), 'package/bin/node'], options)
  copyFileSync(join(folder, 'package/bin/node'), join(folder, 'node'))
}

/** @param folder where `own` will be: the binary names its loader by an absolute path */
async function useRecentLibraries(own: string, folder: string): Promise<void> {
  const options = { cwd: own, timeout: fetchTimeoutMs }
  for (const url of await packageUrls(own)) {
    await download(url, join(own, 'library.deb'))
    await run('dpkg', ['--extract', 'library.deb', '.'], options)
  }
  const system = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu'
  const loader = process.arch === 'arm64' ? 'ld-linux-aarch64.so.1' : 'ld-linux-x86-64.so.2'
  const inside = join(folder, 'usr/lib', system)
  const patchelf = await debianBinary('patchelf')
  const flags = ['--set-interpreter', join(inside, loader), '--force-rpath', '--set-rpath', inside]
  await run(patchelf.command, [...patchelf.args, ...flags, join(own, 'node')], options)
}

/** From where this system has its own packages. */
async function packageUrls(own: string): Promise<string[]> {
  const format = ['indextargets', '--format', '$(REPO_URI) $(RELEASE)', 'Created-By: Packages']
  const { stdout } = await run('apt-get', format)
  const sources = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
  // Of a whole release: trixie-updates and trixie-security have a dash.
  const whole = sources.find(([, suite = '-']) => !suite.includes('-'))
  const origin = whole?.[0]?.replace(/\/$/, '')
  if (origin === undefined) throw new Error('this system has no sources of Debian packages')
  const kind = process.arch === 'arm64' ? 'arm64' : 'amd64'
  const list = join(own, 'Packages.gz')
  await download(`${origin}/dists/${release}/main/binary-${kind}/Packages.gz`, list)
  const entries = gunzipSync(readFileSync(list)).toString('utf8').split('\n\n')
  return libraries.map((name) => {
    const entry = entries.find((one) => one.startsWith(`Package: ${name}\n`))
    const [, file] = /^Filename: (\S+)$/m.exec(entry ?? '') ?? []
    if (file === undefined) throw new Error(`${release} has no package ${name}`)
    return `${origin}/${file}`
  })
}

async function download(url: string, file: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(fetchTimeoutMs) })
  if (!response.ok) throw new Error(`a Debian package: HTTP ${response.status}`)
  writeFileSync(file, Buffer.from(await response.arrayBuffer()))
}

const reportForm = z.object({ header: z.object({ glibcVersionRuntime: z.string() }) })

/** 36 of glibc 2.36. */
const glibcMinor = (): number =>
  Number(reportForm.parse(process.report.getReport()).header.glibcVersionRuntime.split('.')[1])
