// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// An ERC-20 of the first days: name and symbol are bytes32, transfers return nothing.
contract OldToken {
    bytes32 public constant name = "Old Token";
    bytes32 public constant symbol = "OLD";
    uint256 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
    }
}
