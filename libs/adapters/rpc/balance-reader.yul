// Calls one contract many times, each with bounded gas, and returns the first word of each result.
//
// Input: the contract, the gas of one call, then 128 bytes for each call: the length of its data,
// and 96 bytes that begin with the data. Output: 64 bytes for each call: 1 and the word, or zeros
// where the call failed, returned less, or was not made because too little gas was left.
object "BalanceReader" {
  code {
    let output := 0x80
    for { let input := 0x40 } lt(input, calldatasize()) { input := add(input, 0x80) } {
      let share := calldataload(0x20)
      // Of what is left a call gets 63 of 64 parts at most (EIP-150).
      if gt(gas(), add(add(share, div(share, 32)), 10000)) {
        calldatacopy(0, add(input, 0x20), 0x60)
        let done := staticcall(share, calldataload(0), 0, calldataload(input), 0x60, 0x20)
        if and(done, gt(returndatasize(), 0x1f)) {
          mstore(output, 1)
          mstore(add(output, 0x20), mload(0x60))
        }
      }
      output := add(output, 0x40)
    }
    return(0x80, sub(output, 0x80))
  }
}
