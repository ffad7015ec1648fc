-- Printed from its declaration: npm run print
SELECT {columns}
FROM transactions_by_fee
WHERE address = toFixedString(unhex({address:String}), 20)
  AND side = {side:UInt8}
  AND fee >= {fee:UInt256}
ORDER BY address, side, fee, blockNumber, index
LIMIT {rowsMax:UInt64}
SETTINGS max_block_size = 1024
