SELECT {columns}
FROM transfers_by_transaction
WHERE transactionHash = toFixedString(unhex({transactionHash:String}), 32)
  AND (logIndex, batchIndex) IN (
    SELECT row.1, row.2
    FROM (
      SELECT arrayJoin(arrayZip({logIndexes:Array(UInt32)}, {batchIndexes:Array(UInt32)})) AS row
    )
  )
