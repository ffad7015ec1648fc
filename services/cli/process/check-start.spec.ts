import { describe, expect, it } from 'vitest'
import { readSettings } from '../../../libs/settings/read-settings.ts'
import { checkApiService } from './check-start.ts'

const checked = (auditSource: string) => {
  const flags = { auditSource, port: '0', healthPort: '0' }
  return checkApiService(readSettings('api', { flags, environment: {} }))
}

describe('the node that an api is compared with', () => {
  it.each(['http://node.test/key', 'wss://u:p@node.test'])('may be %s', async (url) => {
    await expect(checked(url)).resolves.toBeUndefined()
  })

  it.each(['demo', '/blocks', 'ftp://node.test', 'http://u:hunter2@[1', 'u:hunter2@node.test'])(
    'is not %s, which is refused in a sentence without its secrets',
    async (text) => {
      const refusal = await checked(text).then(
        () => '',
        (error: unknown) => String(error),
      )
      expect(refusal).toContain('--audit-source is no http://, https://, ws:// or wss:// URL')
      expect(refusal).not.toContain('hunter2')
    },
  )
})
