import { describe, expect, it } from 'vitest'
import { events } from './events.ts'
import { startLogger } from './logger.ts'

const linesOf = (speak: (log: ReturnType<typeof startLogger>) => void): string[] => {
  const lines: string[] = []
  const to = { write: (line: string) => lines.push(line) }
  speak(startLogger({ level: 'info', service: 'projector', group: 'state', to }))
  return lines
}
const event = events.up.starting

describe('the logger', () => {
  it('cuts user, password, path and query of a foreign URL out of fields and sentences', () => {
    const secret = 'https://user:hunter2@node.example:8545/v3/keykeykey?token=alsosecret'
    const [line] = linesOf((log) =>
      log.info(
        { event, url: secret, deep: [{ error: new Error(`no ${secret}`) }] },
        `at ${secret}`,
      ),
    )
    expect(line).toContain('node.example:8545')
    for (const word of ['hunter2', 'user:', 'keykeykey', 'alsosecret']) {
      expect(line).not.toContain(word)
    }
  })

  it('keeps the punctuation of the sentence after a URL', () => {
    const [line] = linesOf((log) =>
      log.info(
        { event },
        'no answer at wss://node.example/key: refused (see https://x.example/k).',
      ),
    )
    expect(line).toContain('at wss://node.example/…: refused (see https://x.example/…).')
  })

  it('keeps addresses of this machine whole, as people click on them', () => {
    const url = 'http://127.0.0.1:4000/api/v2/tokens/0x00'
    expect(linesOf((log) => log.info({ event, url }, 'open'))[0]).toContain(url)
  })

  it('cuts the password of a local URL too', () => {
    const [line] = linesOf((log) => log.info({ event }, 'ws://me:hunter2@127.0.0.1:8546/x'))
    expect(line).not.toContain('hunter2')
    expect(line).toContain('127.0.0.1:8546/x')
  })

  it('prints amounts of any size', () => {
    const [line] = linesOf((log) => log.info({ event, value: (1n << 256n) - 1n }, 'large'))
    expect(line).toContain(((1n << 256n) - 1n).toString())
  })

  it('is one JSON object a line, with the event and the level by name', () => {
    const [line] = linesOf((log) => log.warn({ event }, 'a sentence'))
    expect(JSON.parse(String(line))).toMatchObject({ level: 'warn', event, msg: 'a sentence' })
  })

  it('names service, group and version in every line, each key once', () => {
    const [plain, own] = linesOf((log) => {
      log.info({ event }, 'of the process')
      log.info({ event, group: 'ledger' }, 'of one group of several')
    })
    expect(JSON.parse(String(plain))).toMatchObject({
      service: 'projector',
      group: 'state',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    })
    expect(JSON.parse(String(own)).group).toBe('ledger')
    expect(own?.match(/"group"/g)).toHaveLength(1)
  })
})
