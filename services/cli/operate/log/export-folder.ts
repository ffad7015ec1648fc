import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs'
import { mkdir, open, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { z } from 'zod'
import { replaceFile } from '../../../../libs/adapters/disk/replace-file.ts'
import { StartupError } from '../../../../libs/signals/startup-error.ts'
import { accepted } from '../../../../libs/topics/acceptance.ts'
import { messageBytesMax } from '../../../../libs/topics/parts.ts'
import { integerNumber } from '../../../../libs/topics/quantities.ts'

/**
 * A folder with messages of topic `blocks`, whole and in order, as they were published: gzip files
 * of lines, a message's length in bytes and then the message; and `manifest.json`, which lists
 * the files that are complete. Raise the format if an older program would misread it.
 */
const exportFormat = 1

const sha256Text = z.string().regex(/^[0-9a-f]{64}$/)
const fileName = z.string().regex(/^blocks-[0-9]{16}\.gz$/)

const exportedFile = z.object({
  name: fileName,
  /** Positions of its first and last message. */
  from: integerNumber,
  to: integerNumber,
  /** Compressed. */
  bytes: integerNumber,
  sha256: sha256Text,
})
export type ExportedFile = Readonly<z.output<typeof exportedFile>>

const manifest = z.object({
  format: z.literal(exportFormat),
  topic: z.literal('blocks'),
  chainId: integerNumber,
  /** Position of the first message. */
  from: integerNumber,
  files: z.array(exportedFile),
  /** Where the next export goes on: state of acceptance after the last file, and the offset. */
  next: z.object({ accepted, offset: integerNumber, lastRecord: z.string() }),
})
export type Manifest = Readonly<z.output<typeof manifest>>

const manifestPath = (folder: string) => join(folder, 'manifest.json')

/** Null if the folder has none. @throws StartupError for one that cannot be read */
export function readManifest(folder: string): Manifest | null {
  const path = manifestPath(folder)
  if (!existsSync(path)) return null
  try {
    return manifest.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    const because = error instanceof z.ZodError ? z.prettifyError(error) : String(error)
    throw new StartupError(`${path} is not the manifest of an export: ${because}.`)
  }
}

export const writeManifest = (folder: string, written: Manifest): void =>
  replaceFile(manifestPath(folder), `${JSON.stringify(written)}\n`)

export interface ExportedMessage {
  readonly position: number
  readonly bytes: Uint8Array
}

/**
 * Writes a file under another name, and renames it when it is complete and on the disk: one that is
 * listed is whole.
 */
export async function writeMessages(
  folder: string,
  from: number,
  messages: AsyncIterable<ExportedMessage>,
): Promise<ExportedFile> {
  await mkdir(folder, { recursive: true })
  const name = `blocks-${String(from).padStart(16, '0')}.gz`
  const [path, unfinished] = [join(folder, name), join(folder, `${name}.unfinished`)]
  const hash = createHash('sha256')
  let to = from
  let bytes = 0
  const lines = async function* () {
    for await (const message of messages) {
      to = message.position
      yield Buffer.from(`${message.bytes.length}\n`, 'latin1')
      yield message.bytes
      yield newline
    }
  }
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
  })
  await pipeline(lines, createGzip(), counted, createWriteStream(unfinished))
  await synced(unfinished)
  await rename(unfinished, path)
  await synced(folder)
  return { name, from, to, bytes, sha256: hash.digest('hex') }
}

const newline = Buffer.from('\n', 'latin1')

async function synced(path: string): Promise<void> {
  const file = await open(path, 'r')
  await file.sync().finally(() => file.close())
}

/** Of a file whose bytes are not those that were written: names it and its positions. */
export const damaged = ({ name, from, to }: ExportedFile, what: string): StartupError =>
  new StartupError(`The export is damaged: ${name} (positions ${from} to ${to}) ${what}.`)

/** @throws StartupError if a file is missing or differs, or positions are missing between two */
export async function verifyFiles(folder: string, { files, from }: Manifest): Promise<void> {
  let next = from
  for (const file of files) {
    if (file.from !== next) {
      throw damaged(file, `does not follow: position ${next} is missing before it`)
    }
    next = file.to + 1
    const path = join(folder, file.name)
    const size = await stat(path).catch(() => null)
    if (size === null) throw damaged(file, 'is missing')
    if (size.size !== file.bytes) {
      throw damaged(file, `has ${size.size} bytes, and ${file.bytes} were written`)
    }
    const hash = createHash('sha256')
    await pipeline(createReadStream(path), hash)
    if (hash.digest('hex') !== file.sha256) {
      throw damaged(file, 'has another SHA-256 than its manifest')
    }
  }
}

/** The messages of a file, one after the other. @throws StartupError */
export async function* readExported(folder: string, file: ExportedFile): AsyncGenerator<Buffer> {
  const source = createReadStream(join(folder, file.name))
  const gunzip = createGunzip()
  // A fault of the source ends the other, which is the one that is read.
  source.on('error', (error) => gunzip.destroy(error))
  source.pipe(gunzip)
  try {
    yield* messagesIn(gunzip, file)
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw damaged(file, `cannot be read: ${error instanceof Error ? error.message : error}`)
  } finally {
    source.destroy()
    gunzip.destroy()
  }
}

const lengthDigitsMax = 10

async function* messagesIn(chunks: AsyncIterable<Buffer>, file: ExportedFile) {
  let held: Buffer[] = []
  let size = 0
  let wanted: number | null = null
  for await (const chunk of chunks) {
    held.push(chunk)
    size += chunk.length
    while (true) {
      if (wanted === null) {
        const joined: Buffer = Buffer.concat(held)
        held = [joined]
        const end = joined.subarray(0, lengthDigitsMax + 1).indexOf('\n')
        if (end < 0 && joined.length <= lengthDigitsMax) break
        wanted = lengthOf(joined.toString('latin1', 0, Math.max(0, end)), file)
        held = [joined.subarray(end + 1)]
        size = joined.length - end - 1
      }
      if (size < wanted + 1) break
      const joined = Buffer.concat(held)
      yield joined.subarray(0, wanted)
      held = [joined.subarray(wanted + 1)]
      size = joined.length - wanted - 1
      wanted = null
    }
  }
  if (size > 0 || wanted !== null) throw damaged(file, 'ends within a message')
}

function lengthOf(text: string, file: ExportedFile): number {
  const length = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN
  if (length <= messageBytesMax) return length
  throw damaged(file, 'does not hold messages')
}
