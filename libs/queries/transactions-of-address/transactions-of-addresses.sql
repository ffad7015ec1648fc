-- First pages of several addresses: the newest rows of each side. The server reads all rows of these
-- addresses: `rowsReadMax` bounds how many.
SELECT {columns}
FROM transactions_by_address
PREWHERE address IN (SELECT toFixedString(unhex(arrayJoin({subjects:Array(String)})), 20))
ORDER BY address DESC, side DESC, blockNumber DESC, index DESC, hash DESC
LIMIT {rowsMax:UInt64} BY address, side
