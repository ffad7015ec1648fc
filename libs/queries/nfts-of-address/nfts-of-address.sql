-- In key order: a page continues from one standard to the next.
-- In key order ClickHouse reads far ahead unless max_block_size is small.
SELECT {columns}
FROM nfts_by_owner
WHERE owner = toFixedString(unhex({owner:String}), 20)
  AND standard IN ({standards:Array(UInt8)})
  AND (standard > {standard:UInt8} OR (standard = {standard:UInt8}
    AND (token > toFixedString(unhex({token:String}), 20) OR (token = toFixedString(unhex({token:String}), 20) AND tokenId < {tokenId:UInt256}))))
  AND position >= {knownFrom:UInt64}
ORDER BY owner, standard, token, tokenId DESC
LIMIT {rowsMax:UInt64}
SETTINGS max_block_size = 1024
