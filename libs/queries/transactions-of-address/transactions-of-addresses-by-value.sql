-- The greatest of each side of several addresses; all of their rows are read.
SELECT {columns}
FROM transactions_by_value
PREWHERE address IN (SELECT toFixedString(unhex(arrayJoin({subjects:Array(String)})), 20))
ORDER BY address DESC, side DESC, value DESC, blockNumber DESC, index DESC, hash DESC
LIMIT {rowsMax:UInt64} BY address, side
