-- Printed from its declaration: npm run print
SELECT {columns}
FROM transactions_by_address
PREWHERE address = toFixedString(unhex({address:String}), 20)
  AND side = {side:UInt8}
  AND (blockNumber > {blockNumber:UInt64} OR (blockNumber = {blockNumber:UInt64} AND index >= {index:UInt32}))
ORDER BY address, side, blockNumber, index, hash
LIMIT {rowsMax:UInt64}
SETTINGS max_block_size = 1024
