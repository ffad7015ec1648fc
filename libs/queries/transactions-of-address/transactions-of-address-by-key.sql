-- Rows of a page by amount.
SELECT {columns}
FROM transactions_by_address
PREWHERE address = toFixedString(unhex({address:String}), 20)
  AND (side, blockNumber, index)
    IN arrayZip({sides:Array(UInt8)}, {blockNumbers:Array(UInt64)}, {indexes:Array(UInt32)})
