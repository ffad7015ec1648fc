SELECT {columns}
FROM balances_by_value
WHERE holder = toFixedString(unhex({holder:String}), 20)
  AND standard = {standard:UInt8}
  AND (value, ordinal) IN arrayZip({values:Array(UInt256)}, {ordinals:Array(UInt64)})
  AND position >= {knownFrom:UInt64}
