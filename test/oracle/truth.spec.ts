import { expect, test } from 'vitest'
import { folderSource } from '../../libs/adapters/folder/folder-source.ts'
import type { Block } from '../../libs/chain/block.ts'
import { transfersOfLog } from '../../services/cli/operate/audit/transfers-of-log.ts'
import { consecutiveBlocks, singleBlocks } from '../support/mainnet-block.ts'
import { mainnetFolder, singlesFolder, truthTransfers } from '../support/mainnet-truth.ts'

async function blocksOf(folder: string, numbers: readonly number[]): Promise<Block[]> {
  const source = await folderSource({ folder })
  const blocks = await Promise.all(numbers.map((number) => source.block(number)))
  await source.close()
  return blocks.filter((block) => block !== null)
}

test('the oracle finds the transfers that others found in the real blocks', async () => {
  const blocks = [
    ...(await blocksOf(mainnetFolder, consecutiveBlocks)),
    ...(await blocksOf(singlesFolder, singleBlocks)),
  ]
  const truth = truthTransfers()
  const covered = new Set(truth.map(({ blockNumber }) => blockNumber))
  const found = blocks
    .filter(({ number }) => covered.has(number))
    .flatMap(({ number, transactions }) =>
      transactions.flatMap(({ logs, hash }) =>
        logs.flatMap((log) =>
          transfersOfLog(log).map(({ from, to, tokenId, value }) =>
            [number, hash, log.index, log.address, from, to, tokenId, value].join(' '),
          ),
        ),
      ),
    )
  const expected = truth.map(({ blockNumber, transactionHash, ...rest }) => {
    const { logIndex, token, from, to, tokenId, value } = rest
    return [blockNumber, transactionHash, logIndex, token, from, to, tokenId, value].join(' ')
  })
  expect(expected.length).toBeGreaterThan(1_000)
  expect(found.toSorted()).toEqual(expected.toSorted())
})
