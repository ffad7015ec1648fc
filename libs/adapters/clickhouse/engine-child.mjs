// The process that is the engine. Plain JavaScript: it starts without a compiler in the way.
// argv: the arguments of the engine, as `clickhouse local` takes them.
import { createRequire } from 'node:module'

const packages = createRequire(import.meta.url)

/** @returns {never} */
function die() {
  process.kill(process.pid, 'SIGKILL')
}

function required(name) {
  try {
    return packages(name)
  } catch (error) {
    process.send?.({ missing: name, because: String(error.message).split('\n')[0] }, die)
    return null
  }
}

const ffi = required('ffi-rs')
const libchdb = ffi && required('chdb/libchdb')
if (libchdb) {
  // Dies with its parent, however that one dies: nothing else would ever stop the sleeping query.
  process.on('disconnect', die)
  // A parent that was killed while this module was being loaded has been missed by the line above.
  if (!process.connected) die()
  // Loading alone must not hold a path that the package could not resolve.
  let path = null
  try {
    path = libchdb.libchdbPath()
  } catch (error) {
    process.send?.({ missing: 'chdb', because: String(error.message).split('\n')[0] }, die)
  }
  if (path) await run(path)
}

/** A thread of its own for the engine, so that this one can watch the parent. */
async function run(path) {
  ffi.open({ library: 'engine', path })
  const args = ['clickhouse', ...process.argv.slice(2)]
  await ffi.load({
    library: 'engine',
    // koffi moves the stack and cannot call this; ffi-rs can.
    funcName: 'query_stable_v2',
    retType: ffi.DataType.External,
    paramsType: [ffi.DataType.I32, ffi.DataType.StringArray],
    paramsValue: [args.length, args],
    runInNewThread: true,
  })
  // The engine's threads do not all end with it, and exit would wait for them.
  process.stderr.write('', die)
}
