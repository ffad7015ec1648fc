-- Printed from its declaration: npm run print
SELECT {columns}
FROM logs_by_address
WHERE address = toFixedString(unhex({address:String}), 20)
  AND (blockNumber < {blockNumber:UInt64} OR (blockNumber = {blockNumber:UInt64} AND logIndex < {logIndex:UInt32}))
ORDER BY address DESC, blockNumber DESC, logIndex DESC
LIMIT {rowsMax:UInt64}
