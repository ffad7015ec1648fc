-- The sort key as it lies: logs ascending, inside a batch descending.
-- Forwards the engine reads far ahead unless its blocks are small.
SELECT {columns}
FROM transfers_by_transaction
WHERE transactionHash = toFixedString(unhex({hash:String}), 32)
  AND logIndex >= {logIndex:UInt32}
  AND (logIndex > {logIndex:UInt32} OR batchIndex < {batchIndex:UInt32})
ORDER BY transactionHash, logIndex, batchIndex DESC
LIMIT {rowsMax:UInt64}
SETTINGS max_block_size = 1024
