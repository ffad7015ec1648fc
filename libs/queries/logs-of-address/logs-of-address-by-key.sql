SELECT {columns}
FROM logs_by_address
WHERE address = toFixedString(unhex({address:String}), 20)
  AND (blockNumber, logIndex)
    IN arrayZip({blockNumbers:Array(UInt64)}, {logIndexes:Array(UInt32)})
