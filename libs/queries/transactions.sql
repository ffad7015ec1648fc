SELECT
  hash, blockNumber, index, blockHash, timestamp, parentTimestamp, type, nonce, "from", "to",
  createdContract, value, input, gasLimit, gasUsed, gasPrice, maxFeePerGas, maxPriorityFeePerGas,
  baseFeePerGas, status, revertReason, error, transfersCount, hasInnerError, authorizations, actions,
  position, isDeleted
FROM transactions
WHERE hash IN (SELECT toFixedString(unhex(arrayJoin({hashes:Array(String)})), 32))
LIMIT {rowsMax:UInt64}
