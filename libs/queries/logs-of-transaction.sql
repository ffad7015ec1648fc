-- Forwards the engine reads far ahead unless its blocks are small.
SELECT
  transactionHash, logIndex, blockNumber, blockHash, timestamp, transactionIndex, recipient,
  address, topics, data, position, isDeleted
FROM logs_by_transaction
WHERE transactionHash = toFixedString(unhex({hash:String}), 32)
  AND logIndex >= {logIndex:UInt32}
ORDER BY transactionHash, logIndex
LIMIT {rowsMax:UInt64}
SETTINGS max_block_size = 1024
