import { pad, toHex } from 'viem'
import { recoverAuthorizationAddress } from 'viem/utils'
import type { Authorization } from '../../../chain/block.ts'
import { address } from '../../../chain/hex.ts'
import { authorizationSignature } from './node-fields.ts'
import type { RpcAuthorization } from './rpc-schemas.ts'

/** An authorization with its signer, recovered; null where it cannot be. */
export async function recoveredAuthorization(raw: RpcAuthorization): Promise<Authorization> {
  return {
    chainId: raw.chainId,
    nonce: raw.nonce,
    delegate: raw.address,
    authority: await authorityOf(raw),
    signature: authorizationSignature(raw),
  }
}

/** EIP-2: half the order of secp256k1. Of two signatures that say the same one has a higher s. */
const sMax = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

async function authorityOf(raw: RpcAuthorization): Promise<Authorization['authority']> {
  // No account's nonce or chain's id comes near 2^53: such an authorization never takes effect.
  const exact = raw.nonce <= Number.MAX_SAFE_INTEGER && raw.chainId <= Number.MAX_SAFE_INTEGER
  if (!exact || raw.yParity > 1n || raw.s > sMax) return null
  try {
    const authority = await recoverAuthorizationAddress({
      authorization: {
        address: raw.address,
        chainId: Number(raw.chainId),
        nonce: Number(raw.nonce),
        yParity: Number(raw.yParity),
        r: pad(toHex(raw.r), { size: 32 }),
        s: pad(toHex(raw.s), { size: 32 }),
      },
    })
    return address(authority)
  } catch {
    // A signature that no key made: the chain skips such an authorization, and so do we.
    return null
  }
}
