import { describe } from 'vitest'
import { proxyBinary } from './proxy-binary.ts'
import { proxyLaws } from './proxy-laws.ts'

const nginx = await proxyBinary('nginx')

describe.skipIf(nginx === null)('nginx before the API', () => {
  if (nginx !== null) proxyLaws('nginx', nginx, 200)
})
