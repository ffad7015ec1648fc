-- Printed from its declaration: npm run print
SELECT {columns}
FROM holders
WHERE token = toFixedString(unhex({token:String}), 20)
  AND band = {band:UInt16}
  AND holder <= toFixedString(unhex({holder:String}), 20)
  AND position >= {knownFrom:UInt64}
ORDER BY token, band DESC, holder DESC, part, tokenId DESC
LIMIT {rowsMax:UInt64}
SETTINGS max_block_size = 1024
