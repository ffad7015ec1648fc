import { expect, test } from 'vitest'
import { complaintsOf } from '../../services/api/testing/checked-run.ts'
import { testSeed } from '../support/seed.ts'

const runs = 60

test('no answer is older than what the process has heard, but figures by a step', async () => {
  for (let run = 0; run < runs; run++) {
    expect(await complaintsOf(testSeed + run), `seed ${testSeed + run}`).toEqual([])
  }
})
