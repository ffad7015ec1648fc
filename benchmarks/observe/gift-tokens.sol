// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Gives a unit to each of the addresses that follow its own, one after the other. Who has one
/// follows from their number: the node copies its state at each block, so that must stay small.
contract GiftToken {
  event Transfer(address indexed from, address indexed to, uint256 value);

  string public constant name = "Gift";
  string public constant symbol = "GIFT";
  uint8 public constant decimals = 0;
  uint256 public constant totalSupply = 1 << 64;
  address immutable giver = msg.sender;
  uint160 given;
  /// Nobody spends: it is read as other tokens read a balance, which costs gas.
  mapping(address => uint256) spent;

  function give(uint160 count) external {
    require(msg.sender == giver);
    uint160 first = uint160(address(this)) + 1 + given;
    for (uint160 at = 0; at < count; at++) emit Transfer(giver, address(first + at), 1);
    given += count;
  }

  function balanceOf(address who) external view returns (uint256) {
    uint256 received = hasOne(who) ? 1 : 0;
    return (who == giver ? totalSupply - given : received) - spent[who];
  }

  function hasOne(address who) internal view returns (bool) {
    unchecked {
      return uint160(who) - uint160(address(this)) - 1 < given;
    }
  }
}

/// Holds all units at first, and gives of each token as many, the first tokens one more.
contract Giver {
  GiftToken[] tokens;

  function create(uint256 count) external {
    for (uint256 at = 0; at < count; at++) tokens.push(new GiftToken());
  }

  function tokenAt(uint256 at) external view returns (address) {
    return address(tokens[at]);
  }

  function give(uint256 count) external {
    uint256 length = tokens.length;
    for (uint256 at = 0; at < length; at++) {
      uint256 share = count / length + (at < count % length ? 1 : 0);
      if (share > 0) tokens[at].give(uint160(share));
    }
  }
}
