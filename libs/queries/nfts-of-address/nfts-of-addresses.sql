-- Printed from its declaration: npm run print
SELECT {columns}
FROM nfts_by_owner
WHERE owner IN (SELECT toFixedString(unhex(arrayJoin({subjects:Array(String)})), 20))
  AND position >= {knownFrom:UInt64}
ORDER BY standard, token, tokenId DESC
LIMIT {rowsMax:UInt64} BY owner
