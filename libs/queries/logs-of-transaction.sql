-- Printed from its declaration: npm run print
SELECT {columns}
FROM logs_by_transaction
WHERE transactionHash = toFixedString(unhex({transactionHash:String}), 32)
  AND logIndex >= {logIndex:UInt32}
ORDER BY transactionHash, logIndex
LIMIT {rowsMax:UInt64}
SETTINGS max_block_size = 1024
