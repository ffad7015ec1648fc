import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { resolveByDns } from './resolve-by-dns.ts'

/** Types of records. */
const [a, aaaa] = [1, 28]
const nameError = 3

type Records = Readonly<Record<number, readonly Buffer[]>>
const four = Buffer.from([93, 184, 215, 14])
const six = Buffer.from('26064700000000000000000000001111', 'hex')

/** What the server knows; it does not answer for a name with null, and knows no other. */
const zone: Readonly<Record<string, Records | null>> = {
  'both.example': { [a]: [four], [aaaa]: [six] },
  'four.example': { [a]: [four, Buffer.from([10, 0, 0, 1])] },
  'empty.example': {},
  'silent.example': null,
}

const asked: string[] = []
let server: Socket

/** RFC 1035: a header, the question as it came, and answers that point to its name. */
function answerTo(query: Buffer): Buffer | null {
  const labels: string[] = []
  let at = 12
  for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + size))
    at += size + 1
  }
  const name = labels.join('.').toLowerCase()
  const type = query.readUInt16BE(at + 1)
  asked.push(name)
  const records = zone[name]
  if (records === null) return null
  const found = records?.[type] ?? []
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(records === undefined ? 0x8180 + nameError : 0x8180, 2)
  for (const [index, count] of [1, found.length, 0, 0].entries()) {
    header.writeUInt16BE(count, 4 + 2 * index)
  }
  const answers = found.map((bytes) => {
    const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length])
    return Buffer.concat([head, bytes])
  })
  return Buffer.concat([header, query.subarray(12, at + 5), ...answers])
}

beforeAll(async () => {
  server = createSocket('udp4')
  server.on('message', (query, { port, address }) => {
    const answer = answerTo(query)
    if (answer !== null) server.send(answer, port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  server.close()
})

const signal = new AbortController().signal
const resolve = (host: string, until = signal) =>
  resolveByDns([`127.0.0.1:${server.address().port}`])(host, until)

describe('a name', () => {
  it('has the addresses of both families', async () => {
    expect(await resolve('both.example')).toEqual(['93.184.215.14', '2606:4700::1111'])
  })

  it('may have those of one alone, all of which are found', async () => {
    expect(await resolve('four.example')).toEqual(['93.184.215.14', '10.0.0.1'])
  })

  it.each(['empty.example', 'unknown.example'])('without any is a failure: %s', async (name) => {
    await expect(resolve(name)).rejects.toThrow(/ENODATA|ENOTFOUND/)
  })

  it('is not one of this machine or network', async () => {
    asked.length = 0
    await expect(resolve('redis')).rejects.toThrow('ENOTFOUND')
    expect([...new Set(asked)]).toEqual(['redis'])
  })

  it('that nobody answers for is given up when the signal aborts', async () => {
    const caller = new AbortController()
    server.once('message', () => caller.abort())
    await expect(resolve('silent.example', caller.signal)).rejects.toThrow('ECANCELLED')
  })
})
