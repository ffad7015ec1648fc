import { expect, it } from 'vitest'
import { isUrl, parsedUrl } from './parsed-url.ts'

/** After so many calls Node compiles what it calls. */
const calls = 50_000

it('is the same however often it was asked for', () => {
  for (let call = 0; call < calls; call++) {
    if (!isUrl('https://chaté.example/1')) throw new Error(`denied at call ${call}`)
  }
  expect(parsedUrl('https://chaté.example/1')?.href).toBe('https://xn--chat-epa.example/1')
  expect(parsedUrl('chaté.example/1')).toBeNull()
})
