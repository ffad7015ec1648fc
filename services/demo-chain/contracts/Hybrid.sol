// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

library FungibleEvents {
    event Transfer(address indexed from, address indexed to, uint256 value);
}

library InstanceEvents {
    event Transfer(address indexed from, address indexed to, uint256 indexed id);
}

/// In the manner of ERC-404: whole units are instances, and each move emits both forms.
contract Hybrid {
    string public constant name = "Demo Hybrid";
    string public constant symbol = "HYB";
    uint8 public constant decimals = 18;
    uint256 public constant unit = 1e18;
    uint256 public erc20TotalSupply;
    uint256 public erc721TotalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256[]) private held;

    function totalSupply() external view returns (uint256) {
        return erc20TotalSupply;
    }

    function mint(address to, uint256 count) external {
        erc20TotalSupply += count * unit;
        balanceOf[to] += count * unit;
        emit FungibleEvents.Transfer(address(0), to, count * unit);
        for (uint256 n = 0; n < count; n++) give(address(0), to, ++erc721TotalSupply);
    }

    /// Parts of a unit move no instance; each unit that `from` no longer fills moves one.
    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit FungibleEvents.Transfer(msg.sender, to, value);
        uint256[] storage mine = held[msg.sender];
        while (mine.length > balanceOf[msg.sender] / unit) {
            uint256 id = mine[mine.length - 1];
            mine.pop();
            give(msg.sender, to, id);
        }
        return true;
    }

    function give(address from, address to, uint256 id) private {
        ownerOf[id] = to;
        held[to].push(id);
        emit InstanceEvents.Transfer(from, to, id);
    }
}
