-- Complete rows of a page whose keys come from a narrow table.
SELECT {columns}
FROM transactions_by_address
WHERE address = toFixedString(unhex({address:String}), 20)
  AND (side, blockNumber, index)
    IN arrayZip({sides:Array(UInt8)}, {blockNumbers:Array(UInt64)}, {indexes:Array(UInt32)})
