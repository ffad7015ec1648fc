SELECT {columns}
FROM instances
WHERE (token, tokenId) IN (
  SELECT toFixedString(unhex(row.1), 20), row.2
  FROM (SELECT arrayJoin(arrayZip({tokens:Array(String)}, {tokenIds:Array(UInt256)})) AS row)
)
  AND position >= {knownFrom:UInt64}
LIMIT {rowsMax:UInt64}
