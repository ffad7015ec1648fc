SELECT {columns}
FROM transactions
WHERE hash IN (SELECT toFixedString(unhex(arrayJoin({hashes:Array(String)})), 32))
LIMIT {rowsMax:UInt64}
