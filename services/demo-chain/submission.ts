import { createHash } from 'node:crypto'
import { bytesToHex, numberToHex, parseGwei } from 'viem'
import { type HDAccount, mnemonicToAccount } from 'viem/accounts'
import type { PreparedTransaction } from './action.ts'
import { mnemonic } from './anvil.ts'
import type { BatchedCall } from './json-rpc.ts'
import { accountOf, type World } from './world.ts'

/** Far above what blocks here cost, so that no transaction waits for a cheaper one. */
const feeCap = parseGwei('100')

/**
 * The call that hands a transaction to the chain. The chain signs for its accounts; only what it
 * cannot sign (blobs, authorizations) is signed here.
 */
export async function submissionOf(
  world: World,
  chainId: number,
  action: PreparedTransaction,
): Promise<BatchedCall> {
  if (action.envelope === 3) {
    return { method: 'eth_sendRawTransaction', params: [await signedBlob(chainId, action)] }
  }
  const request = {
    from: accountOf(world, action.sender),
    ...(action.to === null ? {} : { to: action.to }),
    input: action.input,
    value: numberToHex(action.value),
    gas: numberToHex(action.gas),
    nonce: numberToHex(action.nonce),
    type: numberToHex(action.envelope),
    ...feesOf(action),
    ...(action.envelope === 1 ? { accessList: accessListOf(action) } : {}),
    ...(action.authority ? { authorizationList: [await authorizationOf(chainId, action)] } : {}),
  }
  return { method: 'eth_sendTransaction', params: [request] }
}

function feesOf({ envelope, price }: PreparedTransaction) {
  // One price means the whole price: above any base fee that these blocks can bring about.
  if (envelope < 2) return { gasPrice: numberToHex(price + parseGwei('20')) }
  return { maxFeePerGas: numberToHex(feeCap), maxPriorityFeePerGas: numberToHex(price) }
}

function accessListOf({ to }: PreparedTransaction) {
  return to === null ? [] : [{ address: to, storageKeys: [numberToHex(0, { size: 32 })] }]
}

async function authorizationOf(
  chainId: number,
  { authority, authorityNonce }: PreparedTransaction,
) {
  if (!authority) throw new Error('a set-code transaction needs an authority')
  const { signAuthorization } = signer(authority.account)
  if (!signAuthorization) throw new Error('this account cannot sign an authorization')
  const contractAddress = authority.delegate
  const signed = await signAuthorization({ chainId, nonce: authorityNonce, contractAddress })
  return {
    chainId: numberToHex(chainId),
    nonce: numberToHex(authorityNonce),
    address: authority.delegate,
    r: signed.r,
    s: signed.s,
    yParity: numberToHex(signed.yParity ?? 0),
  }
}

/** The blob of zeros: its commitment and proof are the point at infinity, so no maths is needed. */
const zeroBlob = `0x${'00'.repeat(131_072)}` as const
const infinity = `0x${'c0'.padEnd(96, '0')}` as const
const commitmentHash = createHash('sha256')
  .update(Buffer.from(infinity.slice(2), 'hex'))
  .digest()
commitmentHash[0] = 1
const versionedHash = bytesToHex(commitmentHash)

function signedBlob(chainId: number, action: PreparedTransaction): Promise<string> {
  return signer(action.sender).signTransaction({
    type: 'eip4844',
    chainId,
    nonce: action.nonce,
    to: action.to,
    data: action.input,
    value: action.value,
    gas: action.gas,
    maxFeePerGas: feeCap,
    maxPriorityFeePerGas: action.price,
    maxFeePerBlobGas: feeCap,
    blobVersionedHashes: [versionedHash],
    sidecars: [{ blob: zeroBlob, commitment: infinity, proof: infinity }],
  })
}

const signers = new Map<number, HDAccount>()

function signer(account: number): HDAccount {
  const known = signers.get(account)
  if (known) return known
  const made = mnemonicToAccount(mnemonic, { addressIndex: account })
  signers.set(account, made)
  return made
}
