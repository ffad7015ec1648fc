SELECT {columns}
FROM prices
WHERE moment IN (SELECT arrayJoin({moments:Array(String)}))
LIMIT {rowsMax:UInt64}
