-- Rows in the slot of an hour. Tokens whose rate was withdrawn keep the row of an older hour there;
-- the reader filters by hour.
SELECT {columns}
FROM token_rates
WHERE slot = {slot:UInt8}
  AND token > toFixedString(unhex({token:String}), 20)
ORDER BY slot, token
LIMIT {rowsMax:UInt64}
