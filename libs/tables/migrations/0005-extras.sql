-- Blobs and the fees of rollups, as JSON; rows of before have none. The views show them.
ALTER TABLE transactions ADD COLUMN IF NOT EXISTS `extras` String CODEC(ZSTD(1)) AFTER `input`;

ALTER TABLE transactions_by_address ADD COLUMN IF NOT EXISTS `extras` String CODEC(ZSTD(1)) AFTER `input`;

ALTER TABLE transactions_by_value ADD COLUMN IF NOT EXISTS `extras` String CODEC(ZSTD(1)) AFTER `input`;

ALTER TABLE transactions_by_fee ADD COLUMN IF NOT EXISTS `extras` String CODEC(ZSTD(1)) AFTER `input`;

DROP VIEW IF EXISTS readable_transactions;

CREATE VIEW readable_transactions AS
WITH
  365 + reinterpretAsUInt32(substring(body, 361, 4)) AS revertReasonEnd,
  revertReasonEnd + 5 + reinterpretAsUInt32(substring(body, revertReasonEnd + 1, 4)) AS errorEnd,
  errorEnd + 4 + reinterpretAsUInt32(substring(body, errorEnd, 4)) AS authorizationsEnd,
  authorizationsEnd + 4 + reinterpretAsUInt32(substring(body, authorizationsEnd, 4)) AS actionsEnd
SELECT
  `hash`,
  `blockNumber`,
  `index`,
  `input`,
  `extras`,
  `position`,
  `isDeleted`,
  toUInt8(ascii(body)) AS bodyForm,
  toFixedString(substring(body, 2, 32), 32) AS `blockHash`,
  reinterpretAsUInt64(substring(body, 34, 8)) AS `timestamp`,
  if(ascii(substring(body, 42, 1)) = 1, NULL, reinterpretAsUInt64(substring(body, 43, 8))) AS `parentTimestamp`,
  reinterpretAsUInt32(substring(body, 51, 4)) AS `type`,
  reinterpretAsUInt64(substring(body, 55, 8)) AS `nonce`,
  toFixedString(substring(body, 63, 20), 20) AS `from`,
  if(ascii(substring(body, 83, 1)) = 1, NULL, toFixedString(substring(body, 84, 20), 20)) AS `to`,
  if(ascii(substring(body, 104, 1)) = 1, NULL, toFixedString(substring(body, 105, 20), 20)) AS `createdContract`,
  reinterpretAsUInt256(substring(body, 125, 32)) AS `value`,
  reinterpretAsUInt256(substring(body, 157, 32)) AS `gasLimit`,
  reinterpretAsUInt256(substring(body, 189, 32)) AS `gasUsed`,
  reinterpretAsUInt256(substring(body, 221, 32)) AS `gasPrice`,
  if(ascii(substring(body, 253, 1)) = 1, NULL, reinterpretAsUInt256(substring(body, 254, 32))) AS `maxFeePerGas`,
  if(ascii(substring(body, 286, 1)) = 1, NULL, reinterpretAsUInt256(substring(body, 287, 32))) AS `maxPriorityFeePerGas`,
  if(ascii(substring(body, 319, 1)) = 1, NULL, reinterpretAsUInt256(substring(body, 320, 32))) AS `baseFeePerGas`,
  if(ascii(substring(body, 352, 1)) = 1, NULL, reinterpretAsUInt8(substring(body, 353, 1))) AS `status`,
  reinterpretAsUInt32(substring(body, 354, 4)) AS `transfersCount`,
  if(ascii(substring(body, 358, 1)) = 1, NULL, CAST(reinterpretAsUInt8(substring(body, 359, 1)) AS Bool)) AS `hasInnerError`,
  if(ascii(substring(body, 360, 1)) = 1, NULL, substring(body, 365, reinterpretAsUInt32(substring(body, 361, 4)))) AS `revertReason`,
  if(ascii(substring(body, revertReasonEnd, 1)) = 1, NULL, substring(body, revertReasonEnd + 1 + 4, reinterpretAsUInt32(substring(body, revertReasonEnd + 1, 4)))) AS `error`,
  substring(body, errorEnd + 4, reinterpretAsUInt32(substring(body, errorEnd, 4))) AS `authorizations`,
  substring(body, authorizationsEnd + 4, reinterpretAsUInt32(substring(body, authorizationsEnd, 4))) AS `actions`
FROM transactions;

DROP VIEW IF EXISTS readable_transactions_by_address;

CREATE VIEW readable_transactions_by_address AS
WITH
  365 + reinterpretAsUInt32(substring(body, 361, 4)) AS revertReasonEnd,
  revertReasonEnd + 5 + reinterpretAsUInt32(substring(body, revertReasonEnd + 1, 4)) AS errorEnd,
  errorEnd + 4 + reinterpretAsUInt32(substring(body, errorEnd, 4)) AS authorizationsEnd,
  authorizationsEnd + 4 + reinterpretAsUInt32(substring(body, authorizationsEnd, 4)) AS actionsEnd
SELECT
  `address`,
  `side`,
  `blockNumber`,
  `index`,
  `hash`,
  `input`,
  `extras`,
  `firstTransfers`,
  `position`,
  `isDeleted`,
  toUInt8(ascii(body)) AS bodyForm,
  toFixedString(substring(body, 2, 32), 32) AS `blockHash`,
  reinterpretAsUInt64(substring(body, 34, 8)) AS `timestamp`,
  if(ascii(substring(body, 42, 1)) = 1, NULL, reinterpretAsUInt64(substring(body, 43, 8))) AS `parentTimestamp`,
  reinterpretAsUInt32(substring(body, 51, 4)) AS `type`,
  reinterpretAsUInt64(substring(body, 55, 8)) AS `nonce`,
  toFixedString(substring(body, 63, 20), 20) AS `from`,
  if(ascii(substring(body, 83, 1)) = 1, NULL, toFixedString(substring(body, 84, 20), 20)) AS `to`,
  if(ascii(substring(body, 104, 1)) = 1, NULL, toFixedString(substring(body, 105, 20), 20)) AS `createdContract`,
  reinterpretAsUInt256(substring(body, 125, 32)) AS `value`,
  reinterpretAsUInt256(substring(body, 157, 32)) AS `gasLimit`,
  reinterpretAsUInt256(substring(body, 189, 32)) AS `gasUsed`,
  reinterpretAsUInt256(substring(body, 221, 32)) AS `gasPrice`,
  if(ascii(substring(body, 253, 1)) = 1, NULL, reinterpretAsUInt256(substring(body, 254, 32))) AS `maxFeePerGas`,
  if(ascii(substring(body, 286, 1)) = 1, NULL, reinterpretAsUInt256(substring(body, 287, 32))) AS `maxPriorityFeePerGas`,
  if(ascii(substring(body, 319, 1)) = 1, NULL, reinterpretAsUInt256(substring(body, 320, 32))) AS `baseFeePerGas`,
  if(ascii(substring(body, 352, 1)) = 1, NULL, reinterpretAsUInt8(substring(body, 353, 1))) AS `status`,
  reinterpretAsUInt32(substring(body, 354, 4)) AS `transfersCount`,
  if(ascii(substring(body, 358, 1)) = 1, NULL, CAST(reinterpretAsUInt8(substring(body, 359, 1)) AS Bool)) AS `hasInnerError`,
  if(ascii(substring(body, 360, 1)) = 1, NULL, substring(body, 365, reinterpretAsUInt32(substring(body, 361, 4)))) AS `revertReason`,
  if(ascii(substring(body, revertReasonEnd, 1)) = 1, NULL, substring(body, revertReasonEnd + 1 + 4, reinterpretAsUInt32(substring(body, revertReasonEnd + 1, 4)))) AS `error`,
  substring(body, errorEnd + 4, reinterpretAsUInt32(substring(body, errorEnd, 4))) AS `authorizations`,
  substring(body, authorizationsEnd + 4, reinterpretAsUInt32(substring(body, authorizationsEnd, 4))) AS `actions`
FROM transactions_by_address;

DROP VIEW IF EXISTS readable_transactions_by_value;

CREATE VIEW readable_transactions_by_value AS
WITH
  365 + reinterpretAsUInt32(substring(body, 361, 4)) AS revertReasonEnd,
  revertReasonEnd + 5 + reinterpretAsUInt32(substring(body, revertReasonEnd + 1, 4)) AS errorEnd,
  errorEnd + 4 + reinterpretAsUInt32(substring(body, errorEnd, 4)) AS authorizationsEnd,
  authorizationsEnd + 4 + reinterpretAsUInt32(substring(body, authorizationsEnd, 4)) AS actionsEnd
SELECT
  `address`,
  `side`,
  `value`,
  `blockNumber`,
  `index`,
  `hash`,
  `input`,
  `extras`,
  `firstTransfers`,
  `position`,
  `isDeleted`,
  toUInt8(ascii(body)) AS bodyForm,
  toFixedString(substring(body, 2, 32), 32) AS `blockHash`,
  reinterpretAsUInt64(substring(body, 34, 8)) AS `timestamp`,
  if(ascii(substring(body, 42, 1)) = 1, NULL, reinterpretAsUInt64(substring(body, 43, 8))) AS `parentTimestamp`,
  reinterpretAsUInt32(substring(body, 51, 4)) AS `type`,
  reinterpretAsUInt64(substring(body, 55, 8)) AS `nonce`,
  toFixedString(substring(body, 63, 20), 20) AS `from`,
  if(ascii(substring(body, 83, 1)) = 1, NULL, toFixedString(substring(body, 84, 20), 20)) AS `to`,
  if(ascii(substring(body, 104, 1)) = 1, NULL, toFixedString(substring(body, 105, 20), 20)) AS `createdContract`,
  reinterpretAsUInt256(substring(body, 157, 32)) AS `gasLimit`,
  reinterpretAsUInt256(substring(body, 189, 32)) AS `gasUsed`,
  reinterpretAsUInt256(substring(body, 221, 32)) AS `gasPrice`,
  if(ascii(substring(body, 253, 1)) = 1, NULL, reinterpretAsUInt256(substring(body, 254, 32))) AS `maxFeePerGas`,
  if(ascii(substring(body, 286, 1)) = 1, NULL, reinterpretAsUInt256(substring(body, 287, 32))) AS `maxPriorityFeePerGas`,
  if(ascii(substring(body, 319, 1)) = 1, NULL, reinterpretAsUInt256(substring(body, 320, 32))) AS `baseFeePerGas`,
  if(ascii(substring(body, 352, 1)) = 1, NULL, reinterpretAsUInt8(substring(body, 353, 1))) AS `status`,
  reinterpretAsUInt32(substring(body, 354, 4)) AS `transfersCount`,
  if(ascii(substring(body, 358, 1)) = 1, NULL, CAST(reinterpretAsUInt8(substring(body, 359, 1)) AS Bool)) AS `hasInnerError`,
  if(ascii(substring(body, 360, 1)) = 1, NULL, substring(body, 365, reinterpretAsUInt32(substring(body, 361, 4)))) AS `revertReason`,
  if(ascii(substring(body, revertReasonEnd, 1)) = 1, NULL, substring(body, revertReasonEnd + 1 + 4, reinterpretAsUInt32(substring(body, revertReasonEnd + 1, 4)))) AS `error`,
  substring(body, errorEnd + 4, reinterpretAsUInt32(substring(body, errorEnd, 4))) AS `authorizations`,
  substring(body, authorizationsEnd + 4, reinterpretAsUInt32(substring(body, authorizationsEnd, 4))) AS `actions`
FROM transactions_by_value;

DROP VIEW IF EXISTS readable_transactions_by_fee;

CREATE VIEW readable_transactions_by_fee AS
WITH
  365 + reinterpretAsUInt32(substring(body, 361, 4)) AS revertReasonEnd,
  revertReasonEnd + 5 + reinterpretAsUInt32(substring(body, revertReasonEnd + 1, 4)) AS errorEnd,
  errorEnd + 4 + reinterpretAsUInt32(substring(body, errorEnd, 4)) AS authorizationsEnd,
  authorizationsEnd + 4 + reinterpretAsUInt32(substring(body, authorizationsEnd, 4)) AS actionsEnd
SELECT
  `address`,
  `side`,
  `fee`,
  `blockNumber`,
  `index`,
  `hash`,
  `input`,
  `extras`,
  `firstTransfers`,
  `position`,
  `isDeleted`,
  toUInt8(ascii(body)) AS bodyForm,
  toFixedString(substring(body, 2, 32), 32) AS `blockHash`,
  reinterpretAsUInt64(substring(body, 34, 8)) AS `timestamp`,
  if(ascii(substring(body, 42, 1)) = 1, NULL, reinterpretAsUInt64(substring(body, 43, 8))) AS `parentTimestamp`,
  reinterpretAsUInt32(substring(body, 51, 4)) AS `type`,
  reinterpretAsUInt64(substring(body, 55, 8)) AS `nonce`,
  toFixedString(substring(body, 63, 20), 20) AS `from`,
  if(ascii(substring(body, 83, 1)) = 1, NULL, toFixedString(substring(body, 84, 20), 20)) AS `to`,
  if(ascii(substring(body, 104, 1)) = 1, NULL, toFixedString(substring(body, 105, 20), 20)) AS `createdContract`,
  reinterpretAsUInt256(substring(body, 125, 32)) AS `value`,
  reinterpretAsUInt256(substring(body, 157, 32)) AS `gasLimit`,
  reinterpretAsUInt256(substring(body, 189, 32)) AS `gasUsed`,
  reinterpretAsUInt256(substring(body, 221, 32)) AS `gasPrice`,
  if(ascii(substring(body, 253, 1)) = 1, NULL, reinterpretAsUInt256(substring(body, 254, 32))) AS `maxFeePerGas`,
  if(ascii(substring(body, 286, 1)) = 1, NULL, reinterpretAsUInt256(substring(body, 287, 32))) AS `maxPriorityFeePerGas`,
  if(ascii(substring(body, 319, 1)) = 1, NULL, reinterpretAsUInt256(substring(body, 320, 32))) AS `baseFeePerGas`,
  if(ascii(substring(body, 352, 1)) = 1, NULL, reinterpretAsUInt8(substring(body, 353, 1))) AS `status`,
  reinterpretAsUInt32(substring(body, 354, 4)) AS `transfersCount`,
  if(ascii(substring(body, 358, 1)) = 1, NULL, CAST(reinterpretAsUInt8(substring(body, 359, 1)) AS Bool)) AS `hasInnerError`,
  if(ascii(substring(body, 360, 1)) = 1, NULL, substring(body, 365, reinterpretAsUInt32(substring(body, 361, 4)))) AS `revertReason`,
  if(ascii(substring(body, revertReasonEnd, 1)) = 1, NULL, substring(body, revertReasonEnd + 1 + 4, reinterpretAsUInt32(substring(body, revertReasonEnd + 1, 4)))) AS `error`,
  substring(body, errorEnd + 4, reinterpretAsUInt32(substring(body, errorEnd, 4))) AS `authorizations`,
  substring(body, authorizationsEnd + 4, reinterpretAsUInt32(substring(body, authorizationsEnd, 4))) AS `actions`
FROM transactions_by_fee;
