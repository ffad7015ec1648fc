import { describe } from 'vitest'
import { proxyBinary } from './proxy-binary.ts'
import { proxyLaws } from './proxy-laws.ts'
import { proxyLoadLaws } from './proxy-load.ts'

const haproxy = await proxyBinary('haproxy')

describe.skipIf(haproxy === null)('HAProxy before the API', () => {
  if (haproxy === null) return
  proxyLaws('haproxy', haproxy)
  proxyLoadLaws('haproxy', haproxy)
})
