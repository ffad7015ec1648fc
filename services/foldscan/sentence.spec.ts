import { describe, expect, it } from 'vitest'
import { BadSetting } from '../../libs/settings/read-settings.ts'
import { Refusal } from './refusal.ts'
import { sentenceOf } from './sentence.ts'

const of = (error: unknown) => sentenceOf(error, './.foldscan')

describe('the sentence about a failure', () => {
  it('is that of a refusal as it stands', () => {
    expect(of(new Refusal('Not today.'))).toBe('Not today.')
    expect(of(new BadSetting('--port is below 1.'))).toBe('--port is below 1.')
  })

  it.each([
    new Error('ENOSPC: no space left on device, write'),
    new Error('flush failed', { cause: new Error('No space left on device') }),
    new Error('Code: 243. NOT_ENOUGH_SPACE'),
    new Error('insert into progress: its disk is full: cannot reserve 1.00 MiB'),
  ])('says that the disk is full, and where (%#)', (error) => {
    expect(of(error)).toMatch(
      /^The disk of the data folder \.\/\.foldscan is full: .*disk-full\.md\.$/,
    )
  })

  it('says that a folder cannot be written', () => {
    expect(of(new Error("EACCES: permission denied, mkdir '/x'"))).toContain('cannot be written')
  })

  it('is one line that names the causes, and ends in a full stop', () => {
    const error = new Error('the node went', { cause: new Error('connect\n  refused') })
    expect(of(error)).toBe('The node went: connect refused.')
  })

  it('keeps secrets of URLs to itself', () => {
    expect(of(new Error('no answer of https://u:p@node.example/key123'))).toBe(
      'No answer of https://node.example/…',
    )
  })

  it('exists for what is no error, too', () => {
    expect(of(undefined)).toBe('Something failed without a word.')
    expect(of('engine gone')).toBe('Engine gone.')
  })
})
