import { describe, expect, it } from 'vitest'
import { environmentName, readSettings, settingKeys } from './read-settings.ts'
import { settingRows } from './setting.ts'
import { settings } from './settings.ts'

describe('a setting', () => {
  it('has its default when nobody speaks of it', () => {
    expect(readSettings({}, {})).toMatchObject({
      source: 'demo',
      host: '127.0.0.1',
      port: 4000,
      dataDir: './.foldscan',
      fromBlock: null,
      allowGaps: false,
    })
  })

  it('is read from the environment', () => {
    expect(readSettings({}, { FOLDSCAN_FROM_BLOCK: '17', PORT: '1' })).toMatchObject({
      fromBlock: 17,
      port: 4000,
    })
  })

  it('obeys its flag before the environment', () => {
    expect(readSettings({ port: '5' }, { FOLDSCAN_PORT: '6' }).port).toBe(5)
  })

  it('counts a blank variable as absent', () => {
    expect(readSettings({}, { FOLDSCAN_PORT: '' }).port).toBe(4000)
  })

  it.each([
    ['port', '65536', '--port is above 65535'],
    ['port', '-1', '--port is not a whole number'],
    ['port', '0x10', '--port is not a whole number'],
    ['fromBlock', '1e3', '--from-block is not a whole number'],
    ['allowGaps', 'yes', '--allow-gaps is neither false nor true'],
    ['logLevel', 'loud', '--log-level is none of debug, info, warn, error, silent'],
    ['source', ' ', '--source is blank'],
  ])('names itself when %s is %s', (key, value, sentence) => {
    expect(() => readSettings({ [key]: value }, {})).toThrow(sentence)
  })

  it('that is unknown is refused, with the nearest that exists', () => {
    expect(() => readSettings({}, { FOLDSCAN_PROT: '1' })).toThrow(
      'There is no setting FOLDSCAN_PROT; the nearest is FOLDSCAN_PORT.',
    )
    expect(() => readSettings({ dataDri: 'x' }, {})).toThrow('the nearest is --data-dir')
  })

  it('is complained of together with all others that are wrong', () => {
    expect(() => readSettings({ port: 'x' }, { FOLDSCAN_HOTS: 'y' })).toThrow(
      /FOLDSCAN_HOTS[\s\S]*--port/,
    )
  })

  it.each(settingKeys)(
    '%s says its unit, bounds and why, and has a default within bounds',
    (key) => {
      const schema = Object.entries(settings.shape).find(([name]) => name === key)?.[1]
      const row = schema && settingRows.get(schema)
      expect(row?.why).toMatch(/\w+ \w+/)
      expect(row?.bounds).not.toBe('')
      expect(environmentName(key)).toMatch(/^FOLDSCAN_[A-Z_]+$/)
    },
  )
})
