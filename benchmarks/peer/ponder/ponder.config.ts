import { createConfig } from 'ponder'
import { parseAbi } from 'viem'

const given = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

export default createConfig({
  database: { kind: 'postgres', connectionString: given('PEER_DATABASE') },
  chains: {
    // Its smallest interval, which counts only where a subscription is not enough.
    generated: {
      id: 31_337,
      rpc: given('PEER_HTTP'),
      ws: given('PEER_WS'),
      pollingInterval: 100,
      disableCache: true,
    },
  },
  contracts: {
    token: {
      chain: 'generated',
      abi: parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']),
      address: given('PEER_TOKENS')
        .split(',')
        .map((token) => token as `0x${string}`),
      startBlock: 0,
    },
  },
})
