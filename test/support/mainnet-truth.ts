import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { type Address, address, type Hash, hash } from '../../libs/chain/hex.ts'

/** What others found in the blocks of `test/mainnet` and `test/mainnet-singles`. */

const folder = new URL('../mainnet/truth/', import.meta.url)
export const mainnetFolder = fileURLToPath(new URL('../mainnet/', import.meta.url))
export const singlesFolder = fileURLToPath(new URL('../mainnet-singles/', import.meta.url))

export interface TruthTransfer {
  readonly blockNumber: number
  readonly transactionHash: Hash
  readonly logIndex: number
  /** Null but for an item of a batch. */
  readonly batchIndex: number | null
  readonly form: string
  readonly token: Address
  readonly from: Address
  readonly to: Address
  readonly tokenId: bigint | null
  readonly value: bigint
}

export interface TruthBalance {
  readonly blockNumber: number
  readonly token: Address
  readonly holder: Address
  readonly before: bigint
  readonly after: bigint
  /** False where no transfer explains the change: wrapping, rebasing, fees. */
  readonly equalsTransfers: boolean
}

type Column = (name: string) => string

/** Every line but the first, its cells by the names in the first. No cell holds a comma. */
function readCsv(file: string): Column[] {
  const text = gunzipSync(readFileSync(new URL(file, folder))).toString('utf8')
  const [head, ...lines] = text.trim().split('\n')
  const names = (head ?? '').trim().split(',')
  return lines.map((line) => {
    const cells = line.trim().split(',')
    return (name) => {
      const cell = cells[names.indexOf(name)]
      if (cell === undefined) throw new Error(`${file}: a line without ${name}: ${line}`)
      return cell
    }
  })
}

/** Deposits and withdrawals of wrapped coins, which the file holds too, are no transfers. */
export const truthTransfers = (): TruthTransfer[] =>
  readCsv('token_transfers.csv.gz')
    .filter((cell) => !cell('type').startsWith('WETH-'))
    .map((cell) => ({
      blockNumber: Number(cell('block_number')),
      transactionHash: hash(cell('tx_hash')),
      logIndex: Number(cell('log_index')),
      batchIndex: cell('batch_index') === '' ? null : Number(cell('batch_index')),
      form: cell('type'),
      token: address(cell('token')),
      from: address(cell('from')),
      to: address(cell('to')),
      tokenId: cell('token_id') === '' ? null : BigInt(cell('token_id')),
      value: cell('value') === '' ? 1n : BigInt(cell('value')),
    }))

export const truthBalances = (): TruthBalance[] =>
  readCsv('erc20_balances.csv.gz').map((cell) => ({
    blockNumber: Number(cell('block_number')),
    token: address(cell('token')),
    holder: address(cell('holder')),
    before: BigInt(cell('balance_before')),
    after: BigInt(cell('balance_after')),
    equalsTransfers: cell('equals_transfers') === '1',
  }))
