-- Printed from its declaration: npm run print
SELECT {columns}
FROM holders
WHERE token IN (SELECT toFixedString(unhex(arrayJoin({subjects:Array(String)})), 20))
  AND position >= {knownFrom:UInt64}
ORDER BY band DESC, holder DESC, part, tokenId DESC
LIMIT {rowsMax:UInt64} BY token
