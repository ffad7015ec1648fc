-- The next row after bands that contain only tombstones, as of a token without holders.
SELECT {columns}
FROM holders
WHERE token = toFixedString(unhex({token:String}), 20)
  AND band <= {band:UInt16}
  AND isDeleted = 0
  AND position >= {knownFrom:UInt64}
ORDER BY token, band DESC, holder DESC, part, tokenId DESC
LIMIT {rowsMax:UInt64}
