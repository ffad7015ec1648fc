-- Skips tombstones, of which an owner that many tokens passed through has millions, and what was not
-- observed of tokens in doubt; each row is checked against all versions of its key
-- (nfts-of-address-versions.sql).
SELECT {columns}
FROM nfts_by_owner
WHERE owner = toFixedString(unhex({owner:String}), 20)
  AND standard IN ({standards:Array(UInt8)})
  AND (standard > {standard:UInt8} OR (standard = {standard:UInt8}
    AND (token > toFixedString(unhex({token:String}), 20) OR (token = toFixedString(unhex({token:String}), 20) AND tokenId < {tokenId:UInt256}))))
  AND isDeleted = 0
  AND (observedAt > 0 OR NOT has({hidden:Array(String)}, lower(hex(token))))
  AND position >= {knownFrom:UInt64}
ORDER BY owner, standard, token, tokenId DESC
LIMIT {rowsMax:UInt64}
