SELECT {columns}
FROM contract_abis
WHERE (address, selector) IN (
  SELECT toFixedString(unhex(row.1), 20), unhex(row.2)
  FROM (SELECT arrayJoin(arrayZip({addresses:Array(String)}, {selectors:Array(String)})) AS row)
)
LIMIT {rowsMax:UInt64}
