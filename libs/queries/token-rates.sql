-- Rows in the slot of an hour. It may contain rows of an older hour, of tokens without a rate
-- since; the reader filters by hour.
SELECT {columns}
FROM token_rates
WHERE slot = {slot:UInt8}
  AND token > toFixedString(unhex({token:String}), 20)
ORDER BY slot, token
LIMIT {rowsMax:UInt64}
