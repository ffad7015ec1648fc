import { pad, toHex } from 'viem'
import { recoverAuthorizationAddress } from 'viem/utils'
import type { Authorization } from '../../chain/block.ts'
import { address } from '../../chain/hex.ts'
import type { RpcAuthorization } from './rpc-forms.ts'

/** Signers of a type 4 transaction's authorizations, recovered; null where they cannot be. */
export async function recoveredAuthorization(said: RpcAuthorization): Promise<Authorization> {
  return {
    chainId: said.chainId,
    nonce: said.nonce,
    delegate: said.address,
    authority: await authorityOf(said),
  }
}

/** EIP-2: half the order of secp256k1. Of two signatures that say the same one has a higher s. */
const sMax = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

async function authorityOf(said: RpcAuthorization): Promise<Authorization['authority']> {
  // No account's nonce or chain's id comes near 2^53: such an authorization never takes effect.
  const exact = said.nonce <= Number.MAX_SAFE_INTEGER && said.chainId <= Number.MAX_SAFE_INTEGER
  if (!exact || said.yParity > 1n || said.s > sMax) return null
  try {
    const authority = await recoverAuthorizationAddress({
      authorization: {
        address: said.address,
        chainId: Number(said.chainId),
        nonce: Number(said.nonce),
        yParity: Number(said.yParity),
        r: pad(toHex(said.r), { size: 32 }),
        s: pad(toHex(said.s), { size: 32 }),
      },
    })
    return address(authority)
  } catch {
    // A signature that no key made: the chain skips such an authorization, and so do we.
    return null
  }
}
