-- Printed from its declaration: npm run print
SELECT {columns}
FROM transfers_by_token
WHERE token = toFixedString(unhex({token:String}), 20)
  AND (blockNumber < {blockNumber:UInt64} OR (blockNumber = {blockNumber:UInt64} AND (logIndex < {logIndex:UInt32} OR (logIndex = {logIndex:UInt32} AND batchIndex < {batchIndex:UInt32}))))
ORDER BY token DESC, blockNumber DESC, logIndex DESC, batchIndex DESC
LIMIT {rowsMax:UInt64}
