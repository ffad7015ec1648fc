import { describe } from 'vitest'
import { proxyBinary } from './proxy-binary.ts'
import { proxyLaws } from './proxy-laws.ts'

const haproxy = await proxyBinary('haproxy')

describe.skipIf(haproxy === null)('HAProxy before the API', () => {
  if (haproxy !== null) proxyLaws('haproxy', haproxy, 505)
})
