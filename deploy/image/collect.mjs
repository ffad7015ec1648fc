// Copies what the services need at run time into a folder: the compiled sources, the files that they
// read, and of node_modules only the files that they load. Writes the SBOM of just these packages.
//
//     node deploy/image/collect.mjs FOLDER [linux-x64|linux-arm64]    # after `npm run build`
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeFileTrace } from '@vercel/nft'

const top = fileURLToPath(new URL('../..', import.meta.url))
const [folder, platform = `${process.platform}-${process.arch}`] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: collect.mjs FOLDER [linux-x64|linux-arm64]')
const entry = join(top, 'dist/services/cli/main.js')
if (!existsSync(entry)) throw new Error(`${entry} is missing: run npm run build first`)

/** The embedded engine and the demo chain run on developers' machines only. */
const left = ['chdb', '@chdb/**', 'ffi-rs', '@yuuang/**', '@foundry-rs/**', 'typescript']
const ignore = left.flatMap((name) => [`node_modules/${name}`, `node_modules/${name}/**`])
const { fileList } = await nodeFileTrace([entry], { base: top, ignore })

/** Loaded by a name made at run time, which no trace follows. */
const [os, arch] = platform.split('-')
const natives = readdirSync(join(top, 'node_modules/uWebSockets.js'))
  .filter((file) => file === `uws_${os}_${arch}_${process.versions.modules}.node`)
  .map((file) => `node_modules/uWebSockets.js/${file}`)
const lmdbFolder = `node_modules/@lmdb/lmdb-${platform}`
if (!existsSync(join(top, lmdbFolder))) throw new Error(`${lmdbFolder} is not installed`)
// Of its binaries, the one for this Node version, else the one for all; no base image has musl.
const lmdbBinaries = readdirSync(join(top, lmdbFolder)).filter((file) => file.endsWith('.node'))
const ofThisNode = `node.abi${process.versions.modules}.glibc.node`
const lmdbBinary = lmdbBinaries.includes(ofThisNode) ? ofThisNode : 'node.napi.glibc.node'
const lmdb = ['package.json', 'index.js', lmdbBinary].map((file) => `${lmdbFolder}/${file}`)
/** Of the viewer of `/docs`, whose files are read and not loaded, with its terms. */
const viewer = ['package.json', 'LICENSE', 'NOTICE', 'swagger-ui.css', 'swagger-ui-bundle.js'].map(
  (file) => `node_modules/swagger-ui-dist/${file}`,
)
if (natives.length !== 1)
  throw new Error(`uWebSockets.js has no binary for Node ${process.version}`)

const traced = [...fileList].filter(
  (file) => !/\/uws_[^/]+\.node$|^node_modules\/@lmdb\//.test(file),
)
for (const file of [...traced, ...natives, ...lmdb, ...viewer]) {
  const to = join(folder, relative('dist', file).startsWith('..') ? file : relative('dist', file))
  mkdirSync(dirname(to), { recursive: true })
  cpSync(join(top, file), to, { recursive: true, dereference: true })
}
// Read through URLs beside the modules: queries, the contracts of the demo chain, the
// status page and `/docs`.
for (const tree of ['libs', 'services']) {
  cpSync(join(top, tree), join(folder, tree), {
    recursive: true,
    filter: (path) =>
      !/\/testing(\/|$)/.test(path) &&
      (/\.(sql|mjs|json|html|css|js)$/.test(path) || isFolder(path)),
  })
}

cpSync(join(top, 'deploy/image/health-check.mjs'), join(folder, 'health-check.mjs'))
// Whoever receives the image receives its terms.
cpSync(join(top, 'LICENSE'), join(folder, 'LICENSE'))

// npm's own `--omit=dev` drops a package of which a development dependency has another version.
const shipped = new Set([...traced, ...natives, ...lmdb, ...viewer].flatMap(packageOf))
const npm = ['sbom', '--sbom-format=cyclonedx']
const sbom = JSON.parse(execFileSync('npm', npm, { cwd: top, maxBuffer: 64 * 1024 * 1024 }))
sbom.components = sbom.components.filter((component) => shipped.has(component['bom-ref']))
const refs = new Set([
  sbom.metadata.component['bom-ref'],
  ...sbom.components.map((c) => c['bom-ref']),
])
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((on) => refs.has(on)) }))
writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`)

/** `NAME@VERSION` of the package that has this file, as the SBOM refers to it. */
function packageOf(file) {
  const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]
  if (folder === undefined) return []
  const { name, version } = JSON.parse(readFileSync(join(top, folder, 'package.json'), 'utf8'))
  return [`${name}@${version}`]
}

function isFolder(path) {
  return !/\.[^/]+$/.test(path)
}
