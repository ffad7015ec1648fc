-- Which rows of a token in doubt are shown: those observed since a block.
ALTER TABLE balances ADD COLUMN IF NOT EXISTS `observedAt` UInt64 CODEC(Delta(8), LZ4) AFTER `ordinal`;

ALTER TABLE balances_by_value ADD COLUMN IF NOT EXISTS `observedAt` UInt64 CODEC(Delta(8), LZ4) AFTER `tokenId`;

ALTER TABLE holders ADD COLUMN IF NOT EXISTS `observedAt` UInt64 CODEC(Delta(8), LZ4) AFTER `value`;

ALTER TABLE instances ADD COLUMN IF NOT EXISTS `observedAt` UInt64 CODEC(Delta(8), LZ4) AFTER `isUnique`;

ALTER TABLE nfts_by_owner ADD COLUMN IF NOT EXISTS `observedAt` UInt64 CODEC(Delta(8), LZ4) AFTER `value`;

ALTER TABLE token_state ADD COLUMN IF NOT EXISTS `shownSince` UInt64 CODEC(Delta(8), LZ4) AFTER `isComplete`;
