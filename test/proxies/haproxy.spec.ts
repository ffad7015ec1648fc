import { describe } from 'vitest'
import { testedBinary } from '../support/tested-binary.ts'
import { proxyLaws } from './proxy-laws.ts'
import { proxyLoadLaws } from './proxy-load.ts'

const haproxy = await testedBinary('haproxy')

describe.skipIf(haproxy === null)('HAProxy before the API', () => {
  if (haproxy === null) return
  proxyLaws('haproxy', haproxy)
  proxyLoadLaws('haproxy', haproxy)
})
