import { expect, it } from 'vitest'
import { safeUrl, withSafeUrls } from './safe-url.ts'

/** After so many calls Node compiles what it calls. */
const calls = 50_000

it('shows and drops the same URLs however many it has seen', () => {
  let [shown, dropped] = [0, 0]
  for (let call = 0; call < calls; call++) {
    if (safeUrl('https://chaté.example/1') !== null) shown++
    if (withSafeUrls({ url: 'javascript:alert("é")' })?.url === null) dropped++
  }
  expect([shown, dropped]).toEqual([calls, calls])
})
