-- Balances of a holder by the first four bytes of tokens, so that one query can contain all tokens
-- with a rate. The reader drops other tokens with the same bytes.
SELECT {columns}
FROM balances
WHERE holder = toFixedString(unhex({holder:String}), 20)
  AND token > toFixedString(unhex({token:String}), 20)
  AND part = {part:UInt8}
  AND substring(token, 1, 4) IN (
    SELECT substring(base64URLDecode({starts:String}), arrayJoin(range(1, {startsEnd:UInt64}, 4)), 4)
  )
  AND position >= {knownFrom:UInt64}
ORDER BY holder, token, part, tokenId
LIMIT {rowsMax:UInt64}
