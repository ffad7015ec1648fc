-- Printed from its declaration: npm run print
SELECT {columns}
FROM prices
WHERE moment IN (SELECT arrayJoin({keys:Array(String)}))
LIMIT {rowsMax:UInt64}
