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
  uint256 public factor;
  mapping(address => uint256) internal parts;
  bool internal isPaused;

  uint8 constant FEE = 1;
  uint8 constant LOGGED_REBASE = 2;
  uint8 constant OLD_WRAPPED = 3;
  uint8 constant LOGGED_FEE = 5;

  address constant COLLECTOR = address(0xFEE);

  constructor(uint8 kind_, address[] memory holders) {
    begin(kind_);
    for (uint256 at = 0; at < holders.length; at++) give(holders[at], 1000 * (at + 1));
  }

  /// In the storage of a proxy, too.
  function begin(uint8 kind_) public {
    kind = kind_;
    factor = 100;
  }

  function decimals() external pure returns (uint8) { return 0; }
  function balanceOf(address who) external view virtual returns (uint256) {
    require(!isPaused);
    return (parts[who] * factor) / 100;
  }

  function give(address to, uint256 value) internal { parts[to] += value; totalSupply += value; }

  /// With an event of the whole value, whatever arrives.
  function transfer(address to, uint256 value) external {
    require(!isPaused);
    parts[msg.sender] -= (value * 100) / factor;
    uint256 fee = kind == FEE || kind == LOGGED_FEE ? value / 10 : 0;
    parts[to] += ((value - fee) * 100) / factor;
    if (kind == LOGGED_FEE) {
      parts[COLLECTOR] += fee;
      emit Transfer(msg.sender, to, value - fee);
      emit Transfer(msg.sender, COLLECTOR, fee);
      return;
    }
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

  /// Nothing moves.
  function lie(address to, uint256 value) external { emit Transfer(msg.sender, to, value); }

  /// While it is paused it does not tell balances either.
  function pause() external { isPaused = !isPaused; }

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

/// What a proxy is upgraded to: everybody has twice as much.
contract Doubled is Odd {
  constructor() Odd(0, new address[](0)) {}

  function balanceOf(address who) external view override returns (uint256) {
    return (2 * parts[who] * factor) / 100;
  }
}

/// EIP-1967.
contract Proxy {
  event Upgraded(address indexed implementation);

  bytes32 constant SLOT = bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1);

  constructor(address implementation) {
    upgradeTo(implementation);
    (bool isBegun, ) = implementation.delegatecall(abi.encodeCall(Odd.begin, (0)));
    require(isBegun);
  }

  function upgradeTo(address implementation) public {
    bytes32 slot = SLOT;
    assembly { sstore(slot, implementation) }
    emit Upgraded(implementation);
  }

  fallback() external {
    bytes32 slot = SLOT;
    assembly {
      calldatacopy(0, 0, calldatasize())
      let isDone := delegatecall(gas(), sload(slot), 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      if iszero(isDone) { revert(0, returndatasize()) }
      return(0, returndatasize())
    }
  }
}

/// Collections; ids are below 6.
contract OddIds {
  event Transfer(address indexed from, address indexed to, uint256 indexed id);

  bool internal isIdInData;
  uint256 public totalSupply;
  mapping(uint256 => address) internal owners;
  mapping(address => uint256) public balanceOf;

  constructor(bool isIdInData_, address holder) {
    isIdInData = isIdInData_;
    for (uint256 id = 0; id < 3; id++) give(holder, id);
  }

  function supportsInterface(bytes4 id) external pure returns (bool) {
    return id == 0x01ffc9a7 || id == 0x80ac58cd;
  }

  function ownerOf(uint256 id) external view returns (address) {
    require(owners[id] != address(0));
    return owners[id];
  }

  function give(address to, uint256 id) internal {
    address from = owners[id];
    if (from == address(0)) totalSupply += 1;
    else balanceOf[from] -= 1;
    owners[id] = to;
    balanceOf[to] += 1;
  }

  function transfer(address to, uint256 value) external {
    uint256 id = value % 6;
    address from = owners[id];
    require(from == address(0) || from == msg.sender);
    give(to, id);
    logged(from, to, id);
  }

  /// Without a log.
  function seize(address to, uint256 value) external { give(to, value % 6); }

  /// Nothing moves.
  function lie(address to, uint256 value) external { logged(owners[value % 6], to, value % 6); }

  function logged(address from, address to, uint256 id) internal {
    if (!isIdInData) {
      emit Transfer(from, to, id);
      return;
    }
    bytes32 topic = keccak256("Transfer(address,address,uint256)");
    assembly {
      mstore(0, from)
      mstore(32, to)
      mstore(64, id)
      log1(0, 96, topic)
    }
  }
}
