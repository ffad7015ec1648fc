import { describe } from 'vitest'
import { proxyBinary } from './proxy-binary.ts'
import { proxyLaws } from './proxy-laws.ts'
import { proxyLoadLaws } from './proxy-load.ts'

const nginx = await proxyBinary('nginx')

describe.skipIf(nginx === null)('nginx before the API', () => {
  if (nginx === null) return
  proxyLaws('nginx', nginx)
  proxyLoadLaws('nginx', nginx)
})
