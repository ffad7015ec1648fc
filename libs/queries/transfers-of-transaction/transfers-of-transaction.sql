-- In key order: logs ascending, descending within a batch.
-- In key order ClickHouse reads far ahead unless max_block_size is small.
SELECT {columns}
FROM transfers_by_transaction
WHERE transactionHash = toFixedString(unhex({hash:String}), 32)
  AND logIndex >= {logIndex:UInt32}
  AND (logIndex > {logIndex:UInt32} OR batchIndex < {batchIndex:UInt32})
ORDER BY transactionHash, logIndex, batchIndex DESC
LIMIT {rowsMax:UInt64}
SETTINGS max_block_size = 1024
