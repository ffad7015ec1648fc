SELECT {columns}
FROM instance_metadata
WHERE (token, tokenId) IN (
  SELECT toFixedString(unhex(row.1), 20), row.2
  FROM (SELECT arrayJoin(arrayZip({tokens:Array(String)}, {tokenIds:Array(UInt256)})) AS row)
)
LIMIT {rowsMax:UInt64}
