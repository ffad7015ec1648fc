-- First pages of several addresses: the newest rows of each side. The server reads and sorts all rows
-- of these addresses: `rowsReadMax` bounds how many, and their texts may be long. In the order of the
-- whole key it would merge granules of each part, which takes a third longer.
SELECT {columns}
FROM transactions_by_address
PREWHERE address IN (SELECT toFixedString(unhex(arrayJoin({subjects:Array(String)})), 20))
ORDER BY blockNumber DESC, index DESC, hash DESC
LIMIT {rowsMax:UInt64} BY address, side
SETTINGS max_bytes_to_sort = 67108864
