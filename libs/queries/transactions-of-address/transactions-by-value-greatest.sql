-- The sort key in reverse order. `least` is the lower bound; if it equals the value of the
-- cursor, only rows of that value are read.
SELECT {columns}
FROM transactions_by_value
PREWHERE address = toFixedString(unhex({address:String}), 20)
  AND side = {side:UInt8}
  AND value >= {least:UInt256}
  AND (value < {amount:UInt256} OR (value = {amount:UInt256} AND (blockNumber < {blockNumber:UInt64}
    OR (blockNumber = {blockNumber:UInt64} AND index < {index:UInt32}))))
ORDER BY address DESC, side DESC, value DESC, blockNumber DESC, index DESC
LIMIT {rowsMax:UInt64}
