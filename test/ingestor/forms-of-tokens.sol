// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Tokens whose logs have a form of their own; what they answer is right. Everybody may move.
contract Forms {
  event ConsecutiveTransfer(uint256 indexed first, uint256 last, address indexed from, address indexed to);
  event Upgraded(address indexed implementation);

  uint8 constant ID_IN_DATA = 1;
  uint8 constant RANGES = 2;
  uint8 constant INDEXED_AMOUNT = 3;

  uint8 internal kind;
  uint8 internal places;
  bytes internal words;
  uint256 public totalSupply;
  mapping(uint256 => address) public ownerOf;
  mapping(address => uint256) public balanceOf;

  constructor(uint8 kind_, uint8 places_, bytes memory words_, address holder) {
    kind = kind_;
    places = places_;
    words = words_;
    if (kind == RANGES) moveRange(address(0), holder, 1, 5);
  }

  function isCollection() internal view returns (bool) { return kind == ID_IN_DATA || kind == RANGES; }

  function supportsInterface(bytes4 id) external view returns (bool) {
    require(isCollection());
    return id == 0x01ffc9a7 || id == 0x80ac58cd;
  }

  function decimals() external view returns (uint8) { require(places > 0); return places; }
  function name() external view returns (string memory) { return string(words); }
  function symbol() external view returns (string memory) { return string(words); }

  function upgrade(bytes calldata words_, uint8 places_) external {
    words = words_;
    places = places_;
    emit Upgraded(address(this));
  }

  function count(address from, address to, uint256 value) internal {
    if (from == address(0)) totalSupply += value;
    else balanceOf[from] -= value;
    balanceOf[to] += value;
  }

  function moveRange(address from, address to, uint256 first, uint256 last) public {
    for (uint256 id = first; id <= last; id++) ownerOf[id] = to;
    count(from, to, last - first + 1);
    emit ConsecutiveTransfer(first, last, from, to);
  }

  /// A contract that is no collection has ids beside its amounts.
  function moveId(address from, address to, uint256 id) external {
    ownerOf[id] = to;
    if (isCollection()) count(from, to, 1);
    logged(from, to, id, kind != ID_IN_DATA);
  }

  function moveAmount(address from, address to, uint256 value) external {
    count(from, to, value);
    logged(from, to, value, kind == INDEXED_AMOUNT);
  }

  function logged(address from, address to, uint256 moved, bool isIndexed) internal {
    bytes32 topic = keccak256("Transfer(address,address,uint256)");
    assembly {
      mstore(0, moved)
      switch isIndexed
      case 0 { log3(0, 32, topic, from, to) }
      default { log4(0, 0, topic, from, to, moved) }
    }
  }
}
