SELECT token, standard, ordinal, name, symbol, decimals, totalSupply, holdersCount, isComplete, position,
  isDeleted
FROM token_state
WHERE token IN (SELECT toFixedString(unhex(arrayJoin({tokens:Array(String)})), 20))
LIMIT {rowsMax:UInt64}
