-- In key order ClickHouse reads far ahead unless max_block_size is small.
SELECT {columns}
FROM logs_by_transaction
WHERE transactionHash = toFixedString(unhex({hash:String}), 32)
  AND logIndex >= {logIndex:UInt32}
ORDER BY transactionHash, logIndex
LIMIT {rowsMax:UInt64}
SETTINGS max_block_size = 1024
