// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// As newer wrapped coins emit them.
interface Indexed {
  event Deposit(address indexed account, uint256 value);
  event Withdrawal(address indexed account, uint256 value);
}

/// Tokens whose transfers do not explain their balances, each in a way of its own.
contract Odd {
  event Transfer(address indexed from, address indexed to, uint256 value);
  event Deposit(address account, uint256 value);
  event Withdrawal(address account, uint256 value);
  event LogRebase(uint256 indexed epoch, uint256 totalSupply);

  uint8 public kind;
  uint256 public totalSupply;
  uint256 public factor = 100;
  mapping(address => uint256) internal parts;

  uint8 constant FEE = 1;
  uint8 constant LOGGED_REBASE = 2;
  uint8 constant OLD_WRAPPED = 3;

  constructor(uint8 kind_, address[] memory holders) {
    kind = kind_;
    for (uint256 at = 0; at < holders.length; at++) give(holders[at], 1000 * (at + 1));
  }

  function decimals() external pure returns (uint8) { return 0; }
  function balanceOf(address who) external view returns (uint256) { return (parts[who] * factor) / 100; }

  function give(address to, uint256 value) internal { parts[to] += value; totalSupply += value; }

  /// With an event of the whole value, whatever arrives.
  function transfer(address to, uint256 value) external {
    parts[msg.sender] -= (value * 100) / factor;
    uint256 fee = kind == FEE ? value / 10 : 0;
    parts[to] += ((value - fee) * 100) / factor;
    totalSupply -= fee;
    emit Transfer(msg.sender, to, value);
  }

  function mint(address to, uint256 value) external { give(to, value); emit Transfer(address(0), to, value); }
  function mintToMany(uint160 first, uint256 count) external {
    for (uint160 at = 0; at < count; at++) {
      give(address(first + at), 10);
      emit Transfer(address(0), address(first + at), 10);
    }
  }
  function mintInSilence(address to, uint256 value) external { give(to, value); }
  function burnInSilence(uint256 value) external { parts[msg.sender] -= value; totalSupply -= value; }

  function rebase() external {
    factor += 100;
    totalSupply = (totalSupply * factor) / (factor - 100);
    if (kind == LOGGED_REBASE) emit LogRebase(factor, totalSupply);
  }

  function deposit() external payable {
    give(msg.sender, msg.value);
    if (kind == OLD_WRAPPED) emit Deposit(msg.sender, msg.value);
    else emit Indexed.Deposit(msg.sender, msg.value);
  }

  function withdraw(uint256 value) external {
    parts[msg.sender] -= value;
    totalSupply -= value;
    if (kind == OLD_WRAPPED) emit Withdrawal(msg.sender, value);
    else emit Indexed.Withdrawal(msg.sender, value);
    payable(msg.sender).transfer(value);
  }
}
