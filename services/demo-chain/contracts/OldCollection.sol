// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A collection from before ERC-721: nothing of its Transfer is indexed (1 topic, 96 bytes).
contract OldCollection {
    string public constant name = "Old Cats";
    string public constant symbol = "CAT";
    mapping(uint256 => address) public ownerOf;

    event Transfer(address from, address to, uint256 id);

    function mint(address to, uint256 id) external {
        require(ownerOf[id] == address(0), "taken");
        ownerOf[id] = to;
        emit Transfer(address(0), to, id);
    }

    function transfer(address to, uint256 id) external {
        require(ownerOf[id] == msg.sender, "not yours");
        ownerOf[id] = to;
        emit Transfer(msg.sender, to, id);
    }
}
