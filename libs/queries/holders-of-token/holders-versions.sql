SELECT {columns}
FROM holders
WHERE token = toFixedString(unhex({token:String}), 20)
  AND band = {band:UInt16}
  AND (holder, part, tokenId) IN (
    SELECT toFixedString(unhex(row.1), 20), row.2, row.3
    FROM (
      SELECT arrayJoin(arrayZip(
        {holders:Array(String)}, {parts:Array(UInt8)}, {tokenIds:Array(UInt256)}
      )) AS row
    )
  )
  AND position >= {knownFrom:UInt64}
