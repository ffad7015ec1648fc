import { describe, expect, it } from 'vitest'
import { RedisFailure } from '../../../libs/adapters/redis/redis-failure.ts'
import { SourceError } from '../../../libs/ports/chain-source.ts'
import { InvalidSetting } from '../../../libs/settings/read-settings.ts'
import { events } from '../../../libs/signals/events.ts'
import { runbooks } from '../../../libs/signals/runbooks.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { OtherChain } from '../../../libs/tables/deployment.ts'
import { describeFailure } from './failure.ts'

const sentenceOf = (error: unknown) => describeFailure(error, './.foldscan').sentence
const fieldsOf = (error: unknown) => describeFailure(error, null).fields

describe('the sentence about a failure', () => {
  it('is that of a refusal, unchanged', () => {
    expect(sentenceOf(new StartupError('Not today.'))).toBe('Not today.')
    expect(sentenceOf(new InvalidSetting('--port is below 1.'))).toBe('--port is below 1.')
  })

  it.each([
    new Error('ENOSPC: no space left on device, write'),
    new Error('flush failed', { cause: new Error('No space left on device') }),
    new Error('Code: 243. NOT_ENOUGH_SPACE'),
    new Error('insert into progress: its disk is full: cannot reserve 1.00 MiB'),
  ])('says that the disk is full, and where (%#)', (error) => {
    expect(sentenceOf(error)).toMatch(
      /^The disk of the data folder \.\/\.foldscan is full: .*disk-full\.md\.$/,
    )
  })

  it('reports that a folder cannot be written', () => {
    const error = new Error("EACCES: permission denied, mkdir '/x'")
    expect(sentenceOf(error)).toContain('cannot be written')
  })

  it('blames no data folder where the process has none', () => {
    const error = new Error('its disk is full')
    expect(describeFailure(error, null).sentence).toBe('Its disk is full.')
  })

  it('is one line that names the causes, and ends in a full stop', () => {
    const error = new Error('the node went', { cause: new Error('connect\n  refused') })
    expect(sentenceOf(error)).toBe('The node went: connect refused.')
  })

  it('contains no secret of a URL', () => {
    expect(sentenceOf(new Error('no answer of https://u:p@node.example/key123'))).toBe(
      'No answer of https://node.example/…',
    )
  })

  it('exists for what is no error, too', () => {
    expect(sentenceOf(undefined)).toBe('Something failed without a message.')
    expect(sentenceOf('engine gone')).toBe('Engine gone.')
  })
})

describe('the fields of a failure', () => {
  it.each([
    new StartupError('Not today.'),
    new SourceError('unreachable', 'no answer'),
    new RedisFailure('wrong-credentials', 'refused'),
    new OtherChain('the tables are of chain 7, not of chain 5'),
  ])('have no stack where an operator can mend it: %s', (error) => {
    expect(fieldsOf(error)).not.toHaveProperty('stack')
  })

  it('name the event and the class of the error', () => {
    expect(fieldsOf(new InvalidSetting('--port is below 1.'))).toEqual({
      event: events.service.failed,
      errorClass: 'InvalidSetting',
    })
  })

  it('name the runbook, if there is one', () => {
    const error = new SourceError('unreachable', 'no answer from the node')
    expect(fieldsOf(error)).toMatchObject({
      errorClass: 'SourceError',
      runbook: runbooks.nodeUnavailable,
    })
  })

  it('have the stack of an error that nobody expected', () => {
    expect(fieldsOf(new TypeError('x is no function')).stack).toContain('failure.spec.ts')
    expect(fieldsOf(new StartupError('Not today.'))).not.toHaveProperty('stack')
  })
})
