import { describe } from 'vitest'
import { testedBinary } from '../support/tested-binary.ts'
import { proxyLaws } from './proxy-laws.ts'
import { proxyLoadLaws } from './proxy-load.ts'

const nginx = await testedBinary('nginx')

describe.skipIf(nginx === null)('nginx before the API', () => {
  if (nginx === null) return
  proxyLaws('nginx', nginx)
  proxyLoadLaws('nginx', nginx)
})
