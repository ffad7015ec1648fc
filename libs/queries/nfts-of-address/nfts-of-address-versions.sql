SELECT {columns}
FROM nfts_by_owner
WHERE owner = toFixedString(unhex({owner:String}), 20)
  AND (standard, token, tokenId) IN (
    SELECT row.1, toFixedString(unhex(row.2), 20), row.3
    FROM (
      SELECT arrayJoin(arrayZip(
        {rowStandards:Array(UInt8)}, {tokens:Array(String)}, {tokenIds:Array(UInt256)}
      )) AS row
    )
  )
  AND position >= {knownFrom:UInt64}
