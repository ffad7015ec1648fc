-- Printed from its declaration: npm run print
SELECT {columns}
FROM transactions_by_value
WHERE address = toFixedString(unhex({address:String}), 20)
  AND side = {side:UInt8}
  AND value >= {value:UInt256}
ORDER BY address, side, value, blockNumber, index
LIMIT {rowsMax:UInt64}
SETTINGS max_block_size = 1024
