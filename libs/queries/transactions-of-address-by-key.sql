-- The whole rows of a page that was found in a narrow table.
SELECT
  address, side, blockNumber, index, hash, blockHash, timestamp, parentTimestamp, type, nonce, "from", "to",
  createdContract, value, input, gasLimit, gasUsed, gasPrice, maxFeePerGas, maxPriorityFeePerGas,
  baseFeePerGas, status, revertReason, error, transfersCount, hasInnerError, authorizations, actions,
  position, isDeleted
FROM transactions_by_address
WHERE address = toFixedString(unhex({address:String}), 20)
  AND (side, blockNumber, index)
    IN arrayZip({sides:Array(UInt8)}, {blockNumbers:Array(UInt64)}, {indexes:Array(UInt32)})
