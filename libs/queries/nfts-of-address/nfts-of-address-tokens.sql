-- One row of each token that the next rows are of: those in doubt are skipped together.
SELECT {columns}
FROM nfts_by_owner
WHERE owner = toFixedString(unhex({owner:String}), 20)
  AND standard IN ({standards:Array(UInt8)})
  AND (standard > {standard:UInt8} OR (standard = {standard:UInt8}
    AND token >= toFixedString(unhex({token:String}), 20)))
  AND position >= {knownFrom:UInt64}
ORDER BY owner, standard, token, tokenId DESC
LIMIT 1 BY owner, standard, token
LIMIT {rowsMax:UInt64}
