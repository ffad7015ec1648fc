-- Printed from its declaration: npm run print
SELECT {columns}
FROM transactions_by_address
PREWHERE address = toFixedString(unhex({address:String}), 20)
  AND side = {side:UInt8}
  AND (blockNumber < {blockNumber:UInt64} OR (blockNumber = {blockNumber:UInt64} AND index < {index:UInt32}))
ORDER BY address DESC, side DESC, blockNumber DESC, index DESC, hash DESC
LIMIT {rowsMax:UInt64}
