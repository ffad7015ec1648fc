CREATE TABLE logs_by_address (
  `address` FixedString(20),
  `blockNumber` UInt64 CODEC(Delta(8), LZ4),
  `logIndex` UInt32,
  `blockHash` FixedString(32),
  `timestamp` UInt64 CODEC(Delta(8), LZ4),
  `transactionHash` FixedString(32),
  `transactionIndex` UInt32,
  `recipient` Nullable(FixedString(20)),
  `topics` Array(FixedString(32)),
  `data` String CODEC(ZSTD(1)),
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`address`, `blockNumber`, `logIndex`)
SETTINGS
  index_granularity = 256,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE logs_by_topic (
  `address` FixedString(20),
  `topic` FixedString(32),
  `blockNumber` UInt64 CODEC(Delta(8), LZ4),
  `logIndex` UInt32,
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`address`, `topic`, `blockNumber`, `logIndex`)
SETTINGS
  index_granularity = 512,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE logs_by_transaction (
  `transactionHash` FixedString(32),
  `logIndex` UInt32,
  `blockNumber` UInt64 CODEC(Delta(8), LZ4),
  `blockHash` FixedString(32),
  `timestamp` UInt64 CODEC(Delta(8), LZ4),
  `transactionIndex` UInt32,
  `recipient` Nullable(FixedString(20)),
  `address` FixedString(20),
  `topics` Array(FixedString(32)),
  `data` String CODEC(ZSTD(1)),
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`transactionHash`, `logIndex`)
SETTINGS
  index_granularity = 256,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE transfers_by_token (
  `token` FixedString(20),
  `blockNumber` UInt64 CODEC(Delta(8), LZ4),
  `logIndex` UInt32,
  `batchIndex` UInt32,
  `transactionHash` FixedString(32),
  `body` String CODEC(LZ4),
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`token`, `blockNumber`, `logIndex`, `batchIndex`)
SETTINGS
  index_granularity = 128,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE transfers_by_transaction (
  `transactionHash` FixedString(32),
  `logIndex` UInt32,
  `batchIndex` UInt32,
  `token` FixedString(20),
  `blockNumber` UInt64 CODEC(Delta(8), LZ4),
  `body` String CODEC(LZ4),
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`transactionHash`, `logIndex`, `batchIndex` DESC)
SETTINGS
  index_granularity = 128,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  allow_experimental_reverse_key = 1,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE transactions_by_address (
  `address` FixedString(20),
  `side` UInt8,
  `blockNumber` UInt64 CODEC(Delta(8), LZ4),
  `index` UInt32,
  `hash` FixedString(32),
  `input` String CODEC(ZSTD(1)),
  `firstTransfers` String CODEC(ZSTD(1)),
  `body` String CODEC(LZ4),
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`address`, `side`, `blockNumber`, `index`, `hash`)
SETTINGS
  index_granularity = 128,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE transactions_by_value (
  `address` FixedString(20),
  `side` UInt8,
  `value` UInt256,
  `blockNumber` UInt64 CODEC(Delta(8), LZ4),
  `index` UInt32,
  `hash` FixedString(32),
  `input` Nullable(String) CODEC(ZSTD(1)),
  `firstTransfers` String CODEC(ZSTD(1)),
  `body` String CODEC(LZ4),
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`address`, `side`, `value`, `blockNumber`, `index`, `hash`)
SETTINGS
  index_granularity = 128,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE transactions_by_fee (
  `address` FixedString(20),
  `side` UInt8,
  `fee` UInt256,
  `blockNumber` UInt64 CODEC(Delta(8), LZ4),
  `index` UInt32,
  `hash` FixedString(32),
  `input` Nullable(String) CODEC(ZSTD(1)),
  `firstTransfers` String CODEC(ZSTD(1)),
  `body` String CODEC(LZ4),
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`address`, `side`, `fee`, `blockNumber`, `index`, `hash`)
SETTINGS
  index_granularity = 128,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE transactions (
  `hash` FixedString(32),
  `blockNumber` UInt64 CODEC(Delta(8), LZ4),
  `index` UInt32,
  `input` String CODEC(ZSTD(1)),
  `body` String CODEC(LZ4),
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`hash`)
SETTINGS
  index_granularity = 128,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE address_state (
  `address` FixedString(20),
  `isContract` Bool,
  `creationTransaction` Nullable(FixedString(32)),
  `delegate` Nullable(FixedString(20)),
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`address`)
SETTINGS
  index_granularity = 512,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE instances (
  `token` FixedString(20),
  `tokenId` UInt256,
  `owner` Nullable(FixedString(20)),
  `isUnique` Bool,
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`token`, `tokenId`)
SETTINGS
  index_granularity = 512,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE balances (
  `holder` FixedString(20),
  `token` FixedString(20),
  `part` UInt8,
  `tokenId` UInt256,
  `value` UInt256,
  `standard` UInt8,
  `ordinal` UInt64 CODEC(Delta(8), LZ4),
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`holder`, `token`, `part`, `tokenId`)
SETTINGS
  index_granularity = 512,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE balances_by_value (
  `holder` FixedString(20),
  `standard` UInt8,
  `value` UInt256,
  `ordinal` UInt64 CODEC(Delta(8), LZ4),
  `token` FixedString(20),
  `part` UInt8,
  `tokenId` UInt256,
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`holder`, `standard`, `value` DESC, `ordinal` DESC, `token`, `part`, `tokenId`)
SETTINGS
  index_granularity = 512,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  allow_experimental_reverse_key = 1,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE holders (
  `token` FixedString(20),
  `band` UInt16,
  `holder` FixedString(20),
  `part` UInt8,
  `tokenId` UInt256,
  `value` UInt256,
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8,
  INDEX `valueRange` `value` TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`token`, `band` DESC, `holder` DESC, `part`, `tokenId` DESC)
SETTINGS
  index_granularity = 512,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  allow_experimental_reverse_key = 1,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE nfts_by_owner (
  `owner` FixedString(20),
  `standard` UInt8,
  `token` FixedString(20),
  `tokenId` UInt256,
  `value` UInt256,
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`owner`, `standard`, `token`, `tokenId` DESC)
SETTINGS
  index_granularity = 512,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  allow_experimental_reverse_key = 1,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE token_state (
  `token` FixedString(20),
  `standard` UInt8,
  `ordinal` UInt64 CODEC(Delta(8), LZ4),
  `name` Nullable(String),
  `symbol` Nullable(String),
  `decimals` Nullable(UInt8),
  `totalSupply` Nullable(UInt256),
  `holdersCount` Nullable(UInt64) CODEC(Delta(8), LZ4),
  `isComplete` Bool,
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`token`)
SETTINGS
  index_granularity = 512,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE token_market (
  `token` FixedString(20),
  `kind` String,
  `fact` String,
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`token`, `kind`)
SETTINGS
  index_granularity = 512,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE token_rates (
  `slot` UInt8,
  `token` FixedString(20),
  `hour` UInt64 CODEC(Delta(8), LZ4),
  `rate` String,
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`slot`, `token`)
SETTINGS
  index_granularity = 512,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE instance_metadata (
  `token` FixedString(20),
  `tokenId` UInt256,
  `fact` String,
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`token`, `tokenId`)
SETTINGS
  index_granularity = 512,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE address_labels (
  `address` FixedString(20),
  `kind` String,
  `fact` String,
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`address`, `kind`)
SETTINGS
  index_granularity = 512,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE contract_abis (
  `address` FixedString(20),
  `selector` String CODEC(ZSTD(1)),
  `signature` String,
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`address`, `selector`)
SETTINGS
  index_granularity = 512,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE signatures (
  `selector` String CODEC(ZSTD(1)),
  `since` UInt64 CODEC(Delta(8), LZ4),
  `form` String,
  `signature` String,
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`selector`, `since`, `form`)
SETTINGS
  index_granularity = 512,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE prices (
  `moment` String,
  `price` String,
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`moment`)
SETTINGS
  index_granularity = 512,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE progress (
  `group` String,
  `blockNumber` Nullable(UInt64) CODEC(Delta(8), LZ4),
  `blockHash` Nullable(FixedString(32)),
  `timestamp` Nullable(UInt64) CODEC(Delta(8), LZ4),
  `knownFrom` UInt64 CODEC(Delta(8), LZ4),
  `logHash` Nullable(FixedString(32)),
  `position` UInt64 CODEC(Delta(8), LZ4),
  `isDeleted` UInt8
)
ENGINE = ReplacingMergeTree(position, isDeleted)
ORDER BY (`group`)
SETTINGS
  index_granularity = 512,
  index_granularity_bytes = 262144,
  min_bytes_for_wide_part = 1125899906842624,
  min_rows_for_wide_part = 1125899906842624,
  fsync_after_insert = 1,
  fsync_part_directory = 1,
  min_rows_to_fsync_after_merge = 1;

CREATE TABLE deployment (
  `id` String,
  `chainId` UInt64,
  `at` DateTime64(6) DEFAULT now64(6)
)
ENGINE = MergeTree
ORDER BY (`at`, `id`)
SETTINGS
  fsync_after_insert = 1,
  fsync_part_directory = 1;
