-- By default a part keeps only the first column of its index in memory where that differs in nine of
-- ten granules, as addresses do: a cursor of an address with many rows then reads all of them. Parts
-- that were loaded before keep what they have until the server is restarted or they are merged.
ALTER TABLE logs_by_address MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE logs_by_topic MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE logs_by_transaction MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE transfers_by_token MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE transfers_by_transaction MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE transactions_by_address MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE transactions_by_value MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE transactions_by_fee MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE transactions MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE address_state MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE instances MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE balances MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE balances_by_value MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE holders MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE nfts_by_owner MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE token_state MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE token_market MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE token_rates MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE instance_metadata MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE address_labels MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE contract_abis MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE signatures MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE prices MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;

ALTER TABLE progress MODIFY SETTING
  primary_key_ratio_of_unique_prefix_values_to_skip_suffix_columns = 1;
