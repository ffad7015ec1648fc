-- Printed from its declaration: npm run print
SELECT {columns}
FROM transfers_by_transaction
WHERE transactionHash = toFixedString(unhex({transactionHash:String}), 32)
  AND (logIndex > {logIndex:UInt32} OR (logIndex = {logIndex:UInt32} AND batchIndex < {batchIndex:UInt32}))
ORDER BY transactionHash, logIndex, batchIndex DESC
LIMIT {rowsMax:UInt64}
SETTINGS max_block_size = 1024
