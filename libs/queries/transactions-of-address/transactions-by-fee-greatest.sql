-- The sort key in reverse order. `least` is the lower bound; if it equals the fee of the
-- cursor, only rows of that fee are read.
SELECT {columns}
FROM transactions_by_fee
PREWHERE address = toFixedString(unhex({address:String}), 20)
  AND side = {side:UInt8}
  AND fee >= {least:UInt256}
  AND (fee < {amount:UInt256} OR (fee = {amount:UInt256} AND (blockNumber < {blockNumber:UInt64}
    OR (blockNumber = {blockNumber:UInt64} AND index < {index:UInt32}))))
ORDER BY address DESC, side DESC, fee DESC, blockNumber DESC, index DESC
LIMIT {rowsMax:UInt64}
